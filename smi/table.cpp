#include "smi/table.h"

#include <algorithm>

namespace hipr::smi {

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_[i].title.size();
    for (const auto& row : rows_)
      if (i < row.size()) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const auto compose = [&](auto&& cell) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string text = cell(i);
      const std::string pad(widths[i] - std::min(widths[i], text.size()), ' ');
      if (i) line += "  ";
      line += columns_[i].number ? pad + text : text + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  std::size_t total = columns_.empty() ? 0 : 2 * (columns_.size() - 1);
  for (const std::size_t width : widths) total += width;
  const std::string ruler(total, '-');

  std::vector<std::string> out;
  out.push_back(compose([&](std::size_t i) { return columns_[i].title; }));
  out.push_back(ruler);
  for (const auto& row : rows_)
    out.push_back(row.empty() ? ruler : compose([&](std::size_t i) { return i < row.size() ? row[i] : ""; }));
  return out;
}

}  // namespace hipr::smi
