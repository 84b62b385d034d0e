// The table itself: no row shadows another, and how much of it is built.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "backends/softgpu/isa/impl.h"
#include "backends/softgpu/isa/table.h"

namespace hipr::softgpu {
namespace {

TEST(Table, NoRowShadowsAnother) {
  for (std::uint8_t gpu : {kOnly90a, kOnly942}) {
    std::set<std::tuple<Encoding, unsigned>> opcodes;
    std::set<std::string> names;
    for (const Row& row : allRows()) {
      if (!(row.gpus & gpu)) continue;
      EXPECT_TRUE(opcodes.insert({row.encoding, row.opcode}).second) << row.name;
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
    }
  }
}

TEST(Table, LookupFindsEveryRow) {
  for (std::size_t i = 0; i < allRows().size(); ++i) {
    const Row& row = allRows()[i];
    Gpu gpu = row.gpus & kOnly90a ? Gpu::kGfx90a : Gpu::kGfx942;
    EXPECT_EQ(findRow(row.encoding, row.opcode, gpu), static_cast<int>(i));
  }
}

TEST(Table, Coverage) {
  std::map<std::string, std::pair<int, int>> built;
  for (const Row& row : allRows()) {
    auto& [done, total] = built[encodingName(row.encoding)];
    done += row.built;
    ++total;
    EXPECT_EQ(row.built, chosenImpls()[&row - allRows().data()] != nullptr);
  }
  int done = 0, total = 0;
  for (const auto& [name, count] : built) {
    std::printf("%-8s %4d / %4d\n", name.c_str(), count.first, count.second);
    done += count.first;
    total += count.second;
  }
  std::printf("%-8s %4d / %4d   level %s\n", "all", done, total, chosenLevel());
  EXPECT_GT(done, 0);
}

}  // namespace
}  // namespace hipr::softgpu
