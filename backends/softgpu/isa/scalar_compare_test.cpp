// Scalar instructions that write EXEC or nothing but SCC, and those with an immediate.
#include <gtest/gtest.h>

#include "backends/softgpu/isa/scalar_edges.h"

namespace hipr::softgpu {
namespace {

using U64 = std::uint64_t;

ScalarOut plain(U64 value) {
  return {value};
}
ScalarOut compare(bool holds) {
  return {.scc = holds};
}

// EXEC goes to the destination and gets the combination, or the other way round.
ScalarOut saved(const ScalarIn& i, U64 exec) {
  return {i.exec, exec != 0, exec};
}
ScalarOut written(U64 exec) {
  return {exec, exec != 0, exec};
}
const std::vector<ScalarCase> kExec = {
    {"s_and_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, i.a & i.exec); }},
    {"s_or_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, i.a | i.exec); }},
    {"s_xor_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, i.a ^ i.exec); }},
    {"s_andn2_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, i.a & ~i.exec); }},
    {"s_orn2_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, i.a | ~i.exec); }},
    {"s_nand_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, ~(i.a & i.exec)); }},
    {"s_nor_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, ~(i.a | i.exec)); }},
    {"s_xnor_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, ~(i.a ^ i.exec)); }},
    {"s_andn1_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, ~i.a & i.exec); }},
    {"s_orn1_saveexec_b64 D, A", [](const ScalarIn& i) { return saved(i, ~i.a | i.exec); }},
    {"s_andn1_wrexec_b64 D, A", [](const ScalarIn& i) { return written(~i.a & i.exec); }},
    {"s_andn2_wrexec_b64 D, A", [](const ScalarIn& i) { return written(i.a & ~i.exec); }},
};

const std::vector<ScalarCase> kCompares = {
    {"s_cmp_eq_i32 a, b", [](const ScalarIn& i) { return compare(i.a == i.b); }},
    {"s_cmp_lg_i32 a, b", [](const ScalarIn& i) { return compare(i.a != i.b); }},
    {"s_cmp_gt_i32 a, b", [](const ScalarIn& i) { return compare(signed32(i.a) > signed32(i.b)); }},
    {"s_cmp_ge_i32 a, b", [](const ScalarIn& i) { return compare(signed32(i.a) >= signed32(i.b)); }},
    {"s_cmp_lt_i32 a, b", [](const ScalarIn& i) { return compare(signed32(i.a) < signed32(i.b)); }},
    {"s_cmp_le_i32 a, b", [](const ScalarIn& i) { return compare(signed32(i.a) <= signed32(i.b)); }},
    {"s_cmp_eq_u32 a, b", [](const ScalarIn& i) { return compare(i.a == i.b); }},
    {"s_cmp_lg_u32 a, b", [](const ScalarIn& i) { return compare(i.a != i.b); }},
    {"s_cmp_gt_u32 a, b", [](const ScalarIn& i) { return compare(i.a > i.b); }},
    {"s_cmp_ge_u32 a, b", [](const ScalarIn& i) { return compare(i.a >= i.b); }},
    {"s_cmp_lt_u32 a, b", [](const ScalarIn& i) { return compare(i.a < i.b); }},
    {"s_cmp_le_u32 a, b", [](const ScalarIn& i) { return compare(i.a <= i.b); }},
    {"s_cmp_eq_u64 A, B", [](const ScalarIn& i) { return compare(i.a == i.b); }},
    {"s_cmp_lg_u64 A, B", [](const ScalarIn& i) { return compare(i.a != i.b); }},
    {"s_bitcmp0_b32 a, b", [](const ScalarIn& i) { return compare(!(i.a >> (i.b & 31) & 1)); }},
    {"s_bitcmp1_b32 a, b", [](const ScalarIn& i) { return compare(i.a >> (i.b & 31) & 1); }},
    {"s_bitcmp0_b64 A, b", [](const ScalarIn& i) { return compare(!(i.a >> (i.b & 63) & 1)); }},
    {"s_bitcmp1_b64 A, b", [](const ScalarIn& i) { return compare(i.a >> (i.b & 63) & 1); }},
};

// The immediate is sign-extended, but zero-extended for unsigned compares.
std::vector<ScalarCase> withImmediate() {
  std::vector<ScalarCase> rows;
  for (int k : {0, 1, -1, 0x7fff, -0x8000, 0x1234}) {
    auto add = [&](const std::string& name, std::function<ScalarOut(const ScalarIn&)> model) {
      rows.push_back({name + " d, " + std::to_string(k & (name.ends_with("u32") ? 0xffff : ~0)), std::move(model)});
    };
    auto u = static_cast<U64>(k & 0xffff);
    add("s_movk_i32", [k](const ScalarIn&) { return plain(static_cast<U64>(k)); });
    add("s_cmovk_i32", [k](const ScalarIn& i) { return plain(i.scc ? static_cast<U64>(k) : i.d); });
    add("s_cmpk_eq_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) == k); });
    add("s_cmpk_lg_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) != k); });
    add("s_cmpk_gt_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) > k); });
    add("s_cmpk_ge_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) >= k); });
    add("s_cmpk_lt_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) < k); });
    add("s_cmpk_le_i32", [k](const ScalarIn& i) { return compare(signed32(i.d) <= k); });
    add("s_cmpk_eq_u32", [u](const ScalarIn& i) { return compare(i.d == u); });
    add("s_cmpk_lg_u32", [u](const ScalarIn& i) { return compare(i.d != u); });
    add("s_cmpk_gt_u32", [u](const ScalarIn& i) { return compare(i.d > u); });
    add("s_cmpk_ge_u32", [u](const ScalarIn& i) { return compare(i.d >= u); });
    add("s_cmpk_lt_u32", [u](const ScalarIn& i) { return compare(i.d < u); });
    add("s_cmpk_le_u32", [u](const ScalarIn& i) { return compare(i.d <= u); });
    add("s_addk_i32",
        [k](const ScalarIn& i) { return ScalarOut{i.d + static_cast<U64>(k), overflows32(signed32(i.d) + k)}; });
    add("s_mulk_i32", [k](const ScalarIn& i) { return plain(i.d * static_cast<U64>(k)); });
  }
  return rows;
}
const std::vector<ScalarCase> kImmediates = withImmediate();

const EdgeTested kTested[] = {EdgeTested::in(kExec), EdgeTested::in(kCompares), EdgeTested::in(kImmediates)};

TEST(ScalarAlu, SavesExec) {
  compareScalars(kExec);
}
TEST(ScalarAlu, Compares) {
  compareScalars(kCompares);
}
TEST(ScalarAlu, Immediates) {
  compareScalars(kImmediates);
}

}  // namespace
}  // namespace hipr::softgpu
