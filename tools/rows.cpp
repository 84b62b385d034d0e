#include "tools/rows.h"

#include <filesystem>

namespace hipr::tools {

const std::vector<Row>& rows() {
  // A row's topic is the file it stands in, which __FILE__ knows.
  static const auto topic = [](const char* file) { return std::filesystem::path(file).stem().string(); };
  static const std::vector<Row> table = {
#define HIP_API(name, node, abis, verb, arity) {#name, node, #abis, #verb, topic(__FILE__)},
#define HIP_API_CXX(name, symbol, node, abis, verb, arity) {symbol, node, #abis, #verb, topic(__FILE__), true},
#include "api/hip.def"
  };
  return table;
}

const std::vector<Node>& nodes() {
  static const std::vector<Node> table = {
#define HIP_NODE(node, parent, since) {node, parent, since},
#include "api/nodes.def"
  };
  return table;
}

bool exportedByWindows(const Row& row) {
  if (row.symbol.starts_with("__gnu_")) return true;  // the half-float helpers stayed there
  if (row.cxx || row.symbol == "__hipGetPCH" || row.symbol == "hipPointerSetAttribute" ||
      row.symbol == "hipMemGetHandleForAddressRange")
    return false;
  return row.in(7);
}

}  // namespace hipr::tools
