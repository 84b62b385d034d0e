// A table of text: columns as wide as their content, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace hipr::smi {

class Table {
 public:
  struct Column {
    std::string title;
    bool number = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void rule() { rows_.emplace_back(); }  // a line between groups of rows
  bool empty() const { return rows_.empty(); }

  std::vector<std::string> lines() const;  // the title, a line, the rows

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a line
};

}  // namespace hipr::smi
