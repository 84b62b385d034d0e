// Every atomic of the table, in LDS and in memory, over edge values of the cell and its operands: what is in the cell
// afterwards, and what comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backends/softgpu/isa/alu_model.h"
#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/test_image.h"
#include "backends/softgpu/isa/test_wave.h"

namespace hipr::softgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I64 = std::int64_t;

struct Atomic {
  const Row* row;
  std::string operation;  // add, smin, cmpswap, ...
  std::string type;       // u32, f32, f16 (two of them), ...
  bool returns = true;
  bool wide() const { return type.ends_with("64"); }
  bool twoOperands() const { return operation == "cmpswap" || operation == "mskor" || operation == "wrap"; }
  bool scalar() const { return row->encoding == Encoding::SMEM; }
  bool lds() const { return row->encoding == Encoding::DS; }
  bool image() const { return row->encoding == Encoding::MIMG; }
  bool inPlace() const { return row->encoding == Encoding::MUBUF || image(); }  // the old value replaces the data
};

// ds_min_rtn_i32 and global_atomic_smin_x2 in the same words. No operation where it is no atomic.
Atomic parse(const Row& row) {
  Atomic a{&row, "", ""};
  std::string name = row.name;
  if (std::size_t at = name.find("_atomic_"); at != std::string::npos) {
    a.operation = name.substr(at + 8);
    a.type = "u32";
    for (const char* suffix : {"_x2", "_f32", "_f64", "_f16", "_bf16"})
      if (a.operation.ends_with(suffix)) {
        a.type = suffix == std::string("_x2") ? "u64" : suffix + 1;
        a.operation.erase(a.operation.size() - std::strlen(suffix));
      }
    return a;
  }
  if (!a.lds()) return a;
  std::size_t rtn = name.find("_rtn"), type = name.rfind('_');
  a.returns = rtn != std::string::npos;
  a.type = name.substr(type + 1);
  std::string operation = name.substr(3, (a.returns ? rtn : type) - 3);
  for (const char* known : {"add", "sub", "rsub", "inc", "dec", "and", "or", "xor", "mskor", "wrap", "pk_add"})
    if (operation == known) a.operation = operation;
  if (operation == "cmpst") a.operation = "cmpswap";
  if (operation == "wrxchg") a.operation = "swap";
  if (operation == "condxchg32") a.operation = operation;
  if (operation == "min" || operation == "max")
    a.operation = (a.type[0] == 'i' ? "s" : a.type[0] == 'u' ? "u" : "") + operation;
  return a;
}

U64 floats(const Atomic& a, U64 old, U64 data, U64 compare, bool flush) {
  FloatFormat f = a.wide() ? kDoubleFormat : kFloatFormat;
  auto in = [&](U64 x) { return flush && f.isDenormal(x) ? x & f.sign() : x; };
  if (a.operation == "add") return in(exactSum(f, in(old), in(data), Rounding::kNearestEven));
  int order = exactCompare(f, data, old);
  if (a.operation == "min") return order == -1 || f.isNan(old) ? data : old;
  if (a.operation == "max") return order == 1 || f.isNan(old) ? data : old;
  return exactCompare(f, old, compare) == 0 ? data : old;
}
U64 pairs(const Atomic& a, U64 old, U64 data) {
  FloatFormat f = a.type == "bf16" ? FloatFormat{8, 7} : kHalfFormat;
  U64 low = exactSum(f, old & 0xffff, data & 0xffff, Rounding::kNearestEven);
  return low | exactSum(f, old >> 16, data >> 16, Rounding::kNearestEven) << 16;
}
// The new value. The first operand of two is what is compared with, the mask, or what is taken off.
U64 applied(const Atomic& a, U64 old, U64 data, U64 compare, bool flush) {
  const std::string& op = a.operation;
  if (op == "pk_add") return pairs(a, old, data);
  if (a.type[0] == 'f') return floats(a, old, data, compare, flush);
  auto s = [&](U64 x) { return a.wide() ? static_cast<I64>(x) : static_cast<std::int32_t>(x); };
  if (op == "swap") return data;
  if (op == "cmpswap") return old == compare ? data : old;
  if (op == "add") return old + data;
  if (op == "sub") return old - data;
  if (op == "rsub") return data - old;
  if (op == "smin") return s(data) < s(old) ? data : old;
  if (op == "smax") return s(data) > s(old) ? data : old;
  if (op == "umin") return std::min(old, data);
  if (op == "umax") return std::max(old, data);
  if (op == "and") return old & data;
  if (op == "or") return old | data;
  if (op == "xor") return old ^ data;
  if (op == "inc") return old >= data ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > data ? data : old - 1;
  if (op == "mskor") return (old & ~compare) | data;
  if (op == "wrap") return old >= compare ? old - compare : old + data;
  // condxchg32: halves whose top bit is set are exchanged, without that bit.
  U64 low = data & 0x80000000 ? data & 0x7fffffff : old & 0xffffffff;
  return low | (data >> 63 ? data >> 32 & 0x7fffffff : old >> 32) << 32;
}

std::vector<U64> valuesOf(const Atomic& a) {
  if (a.type == "f32") return {0, 1u << 31, 1, 0x807fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0xff800000, 0x7fc00000};
  if (a.type == "f64")
    return {0,
            1ull << 63,
            1,
            0x0010000000000000,
            0x3ff0000000000000,
            0xffefffffffffffff,
            0x7ff0000000000000,
            0x7ff8000000000000};
  if (a.type == "f16") return {0, 0x80000001, 0x3c0003ff, 0x7bff0400, 0x7c00bc00, 0xfc003c01, 0x10017bff, 0x80008000};
  if (a.type == "bf16") return {0, 0x80000001, 0x3f80007f, 0x7f7f0080, 0x7f80bf80, 0xff803f81, 0x33807f7f, 0x80008000};
  if (!a.wide()) return {0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x12345678};
  return {0, 1, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x8123456782345678};
}

bool matches(const Atomic& a, U64 got, U64 expected) {
  if (got == expected) return true;
  FloatFormat f = a.type == "f64"    ? kDoubleFormat
                  : a.type == "f32"  ? kFloatFormat
                  : a.type == "bf16" ? FloatFormat{8, 7}
                                     : kHalfFormat;
  if (a.operation == "pk_add") {
    auto half = [&](unsigned shift) {
      U64 x = got >> shift & 0xffff, y = expected >> shift & 0xffff;
      return x == y || (f.isNan(x) && f.isNan(y));
    };
    return half(0) && half(16);
  }
  return a.type[0] == 'f' && f.isNan(got) && f.isNan(expected);
}

// CDNA3 calls the bit that asks for the old value by another name.
std::string assemblyOf(const Atomic& a, Gpu gpu) {
  std::string glc = gpu == Gpu::kGfx90a ? " glc" : " sc0";
  std::string name = a.row->name, r = a.wide() ? "v[6:7]" : "v6", d = a.wide() ? "v[2:3]" : "v2";
  if (a.lds())
    return name + (a.returns ? " " + r + "," : "") + " v0, " + d +
           (a.twoOperands() ? (a.wide() ? ", v[4:5]" : ", v4") : "");
  if (a.twoOperands()) d = a.wide() ? "v[2:5]" : "v[2:3]";
  if (a.scalar()) {
    unsigned words = (a.wide() ? 2 : 1) * (a.twoOperands() ? 2 : 1);
    std::string data = words == 1 ? "s12" : "s[12:" + std::to_string(11 + words) + "]";
    return name + " " + data + (name.starts_with("s_buffer") ? ", s[4:7]" : ", s[2:3]") + ", 0x0 glc";
  }
  if (a.image())
    return name + " " + d + ", v0, " + (a.wide() ? "s[24:31]" : "s[16:23]") +
           (a.wide() ? (a.twoOperands() ? " dmask:0xf" : " dmask:0x3")
                     : (a.twoOperands() ? " dmask:0x3" : " dmask:0x1")) +
           " unorm glc";
  if (a.row->encoding == Encoding::MUBUF) return name + " " + d + ", v0, s[4:7], 0 offen" + glc;
  return name + " " + r + ", v[0:1], " + d + (a.row->encoding == Encoding::GLOBAL ? ", off" : "") + glc;
}

// One cell of eight bytes for each lane.
class Cells {
 public:
  Cells(const std::vector<U32>& code, Gpu gpu) : wave_(code, gpu) {
    auto base = reinterpret_cast<U64>(memory_);
    wave_->setPair(2, base);
    wave_->setPair(4, base);
    wave_->s[6] = sizeof memory_, wave_->s[7] = 0x00027000;
    TestImage image;  // the same memory as one row of dwords, or of pairs
    image.width = 2 * kLanes, image.data = 4, image.number = 4;
    image.put(&wave_->s[16], base);
    image.width = kLanes, image.data = 11;
    image.put(&wave_->s[24], base);
  }

  U64 start() { return wave_->code->region().begin; }

  void check(const Atomic& a, U64 start, Gpu gpu, U32 mode) {
    std::vector<U64> values = valuesOf(a);
    bool flush = a.operation == "add" && a.type == "f32" && (a.lds() ? !(mode & 0x20) : gpu == Gpu::kGfx90a);
    std::size_t combinations = values.size() * values.size() * (a.twoOperands() ? values.size() : 1);
    unsigned lanes = a.scalar() ? 1 : kLanes;
    for (std::size_t first = 0; first < combinations; first += lanes) {
      for (unsigned l = 0; l < kLanes; ++l) prepare(a, l, values, first + l);
      setMode(*wave_.operator->(), mode);
      wave_->ip = wave_->code->at(start);
      ASSERT_EQ(wave_.run(), "") << a.row->name;
      for (unsigned l = 0; l < lanes; ++l) {
        U64 mask = a.wide() ? ~0ull : 0xffffffff;
        auto [old, data, compare] = inputs_[l];
        U64 expected = (applied(a, old, data, compare, flush) & mask) | (kUntouched & ~mask), got = cell(a, l);
        ASSERT_TRUE(matches(a, got & mask, expected & mask) && (got & ~mask) == (expected & ~mask))
            << a.row->name << std::hex << " of " << old << " with " << data << " and " << compare << " in mode " << mode
            << " leaves " << got << ", not " << expected;
        U64 back = a.scalar()    ? wave_->pair(12)
                   : a.inPlace() ? wave_.v(2, l) | U64{wave_.v(3, l)} << 32
                                 : wave_.v(6, l) | U64{wave_.v(7, l)} << 32;
        ASSERT_EQ(back & mask, a.returns ? old : 0xaaaaaaaaaaaaaaaa & mask) << a.row->name;
      }
    }
  }

 private:
  static constexpr U64 kUntouched = 0x7777777777777777;
  struct Input {
    U64 old, data, compare;
  };

  U64& cell(const Atomic& a, unsigned l) { return (a.lds() ? reinterpret_cast<U64*>(wave_->lds.begin) : memory_)[l]; }

  void prepare(const Atomic& a, unsigned l, const std::vector<U64>& values, std::size_t n) {
    std::size_t count = values.size();
    Input in = {values[n % count], values[n / count % count], values[n / count / count % count]};
    inputs_[l] = in;
    cell(a, l) = a.wide() ? in.old : in.old | (kUntouched & ~0xffffffffull);
    U64 address = a.image()                ? (a.wide() ? l : 2 * l)
                  : a.lds() || a.inPlace() ? 8 * l
                                           : reinterpret_cast<U64>(memory_ + l);
    set(0, l, address);
    set(6, l, 0xaaaaaaaaaaaaaaaa);
    // In LDS the comparand comes first; in memory it follows the data.
    U64 first = a.lds() && a.twoOperands() ? in.compare : in.data, second = a.lds() ? in.data : in.compare;
    set(2, l, first);
    if (a.lds() || a.wide())
      set(4, l, second);
    else
      wave_.v(3, l) = static_cast<U32>(second);
    if (l > 0) return;
    wave_->setPair(12, a.wide() ? in.data : in.data | in.compare << 32);
    wave_->setPair(14, in.compare);
  }
  void set(unsigned reg, unsigned l, U64 value) {
    wave_.v(reg, l) = static_cast<U32>(value);
    wave_.v(reg + 1, l) = static_cast<U32>(value >> 32);
  }

  alignas(256) U64 memory_[kLanes];
  Input inputs_[kLanes];
  TestWave wave_;
};

std::vector<Atomic> atomicsOf(std::uint8_t gpus) {
  std::vector<Atomic> all;
  for (const Row& row : allRows())
    if (Atomic a = parse(row); (row.gpus & gpus) && !a.operation.empty()) {
      all.push_back(a);
      if (a.image()) a.type = "u64", all.push_back(a);  // one instruction for both widths
    }
  return all;
}
std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const Atomic& a : atomicsOf(kAllGpus)) names.push_back(a.row->name);
  return names;
}
const EdgeTested kTested(mnemonics());

void checkAll(Gpu gpu) {
  NEEDS_ASSEMBLER;
  std::string source;
  std::vector<Atomic> all = atomicsOf(gpu == Gpu::kGfx90a ? kOnly90a : kOnly942);
  for (const Atomic& a : all) source += assemblyOf(a, gpu) + "\n s_endpgm\n";
  std::vector<U32> code = assemble(source, gpu == Gpu::kGfx90a ? "gfx90a" : "gfx942");
  constexpr std::size_t kWords = 3;  // each: two of the instruction and its s_endpgm
  ASSERT_EQ(code.size(), kWords * all.size() + 1) << source;
  Cells cells(code, gpu);
  U64 start = cells.start();
  for (std::size_t k = 0; k < all.size(); ++k)
    for (U32 mode : {0x3f0u, 0x300u}) ASSERT_NO_FATAL_FAILURE(cells.check(all[k], start + 4 * kWords * k, gpu, mode));
}

TEST(EdgeAtomic, Cdna2) {
  checkAll(Gpu::kGfx90a);
}
TEST(EdgeAtomic, Cdna3) {
  checkAll(Gpu::kGfx942);
}

}  // namespace
}  // namespace hipr::softgpu
