// Every arithmetic row of the instruction table, and every atomic, has a test over edge values. The tests say which
// rows they are about (EdgeTested); an instruction that is added without one fails here.
#include <gtest/gtest.h>

#include <map>

#include "backends/softgpu/isa/edge.h"
#include "backends/softgpu/isa/table.h"

namespace hipr::softgpu {
namespace {

bool isArithmetic(Encoding e) {
  return e == Encoding::SOP1 || e == Encoding::SOP2 || e == Encoding::SOPC || e == Encoding::SOPK ||
         e == Encoding::VOP1 || e == Encoding::VOP2 || e == Encoding::VOPC || e == Encoding::VOP3 ||
         e == Encoding::VOP3P;
}

bool isAtomic(const Row& row) {
  std::string name = row.name;
  bool exchanges = name.find("wrxchg2") != std::string::npos;  // of two cells at once: ds_test.cpp
  if (name.find("_atomic_") != std::string::npos) return true;
  return row.encoding == Encoding::DS && !exchanges && name.find("_rtn_") != std::string::npos;
}

// Rows of these encodings that compute nothing from values.
const std::map<std::string, std::string> kNoArithmetic = {
    {"v_nop", "does nothing"},
    {"v_clrexcp", "clears exception flags, which nothing here raises"},
};

TEST(EdgeCoverage, EveryArithmeticRowHasATest) {
  std::size_t rows = 0;
  for (const Row& row : allRows()) {
    if ((!isArithmetic(row.encoding) && !isAtomic(row)) || !row.built || kNoArithmetic.contains(row.name)) continue;
    ++rows;
    EXPECT_TRUE(EdgeTested::rows().contains(row.name)) << row.name << " has no test over edge values";
  }
  std::printf("%zu rows\n", rows);
  EXPECT_GT(rows, 600u);
}

TEST(EdgeCoverage, NamesAreRows) {
  std::map<std::string, bool> known;
  for (const Row& row : allRows()) known[row.name] = isArithmetic(row.encoding) || isAtomic(row);
  for (const std::string& name : EdgeTested::rows()) EXPECT_TRUE(known.contains(name)) << name;
  for (const auto& [name, reason] : kNoArithmetic) {
    EXPECT_TRUE(known[name]) << name;
    EXPECT_FALSE(EdgeTested::rows().contains(name)) << name << " is tested after all";
  }
}

}  // namespace
}  // namespace hipr::softgpu
