// The API rows as a table that programs can walk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hipr::tools {

struct Row {
  std::string symbol;  // the linker name
  std::string node;
  std::string abis;  // a digit for each soname that exports it
  std::string verb;
  std::string topic;  // the file under api/hip it stands in
  bool cxx = false;   // a second, C++ name of another row

  bool in(int abi) const { return abis.find(static_cast<char>('0' + abi)) != std::string::npos; }
};

struct Node {
  std::string name, parent;
  int since;
};

// Where the Windows library differs from the Linux one of HIP 7.
bool exportedByWindows(const Row& row);

const std::vector<Row>& rows();
const std::vector<Node>& nodes();

}  // namespace hipr::tools
