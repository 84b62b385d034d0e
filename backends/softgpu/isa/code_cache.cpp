// CodeCache: pages of decoded instructions, made at first use by whichever thread gets there.
#include <algorithm>
#include <array>
#include <cstring>

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/impl.h"
#include "backends/softgpu/isa/table.h"
#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {
namespace {

constexpr std::uint64_t kPageWords = 1024;
constexpr unsigned kNopOpcode = 0;

bool isBranch(const Inst& inst) {
  return inst.row < allRows().size() && allRows()[inst.row].encoding == Encoding::SOPP;
}

// Stands after the last instruction of a page; an instruction is at most two dwords, so two of them suffice.
void enterNextPage(Wave& w, const Inst& i) {
  const Inst* next = w.code->atOffset(i.offset);
  if (!next)
    return raise(w, i, FaultKind::kMemory, "instruction fetch past the end of the code", -1, w.code->addressOf(i));
  w.ip = next;
}

// What can be known at once of the way from instruction to instruction of a page. Those that do nothing, as s_nop and
// (on most CPUs) s_waitcnt, become part of the step over them.
void link(Inst* insts, std::int64_t count) {
  Handler* const nothing = chosenImpls()[findRow(Encoding::SOPP, kNopOpcode, Gpu::kGfx90a)]->plain;
  for (std::int64_t k = count - 1; k >= 0; --k) {
    Inst& inst = insts[k];
    const Inst& after = insts[k + inst.words];
    unsigned step = inst.words + (after.run == nothing ? after.step : 0u);
    inst.step = static_cast<std::uint8_t>(step < 256 ? step : inst.words);
    std::int64_t target = k + 1 + static_cast<std::int32_t>(inst.literal);
    inst.nearby = isBranch(inst) && target >= 0 && target < count;
  }
}

}  // namespace

struct CodeCache::Page {
  std::array<Inst, kPageWords + 2> insts;
};

CodeCache::CodeCache(Region code, Gpu gpu)
    : code_(code), gpu_(gpu), pages_(((code.end - code.begin) / 4 + kPageWords - 1) / kPageWords) {}

CodeCache::~CodeCache() {
  for (auto& page : pages_) delete page.load();
}

const Inst* CodeCache::at(std::uint64_t address) {
  if (address < code_.begin || address >= code_.end || (address - code_.begin) % 4) return nullptr;
  return atOffset((address - code_.begin) / 4);
}

const Inst* CodeCache::atOffset(std::uint64_t offset) {
  if (offset >= (code_.end - code_.begin) / 4) return nullptr;
  Page* page = pages_[offset / kPageWords].load(std::memory_order_acquire);
  if (!page) page = makePage(offset / kPageWords);
  return &page->insts[offset % kPageWords];
}

CodeCache::Page* CodeCache::makePage(std::uint64_t index) {
  auto page = std::make_unique<Page>();
  std::uint64_t first = index * kPageWords;
  std::uint64_t total = (code_.end - code_.begin) / 4;
  const char* bytes = reinterpret_cast<const char*>(code_.begin + code_.shift);
  for (std::uint64_t k = 0; k < kPageWords + 2; ++k) {
    Inst& inst = page->insts[k];
    std::uint64_t offset = first + k;
    if (k < kPageWords && offset < total) {
      std::uint32_t words[2] = {};
      unsigned available = offset + 1 < total ? 2 : 1;
      std::memcpy(words, bytes + offset * 4, available * 4);
      inst = decode(words, available, gpu_);
    } else {
      inst = Inst{};
      inst.run = enterNextPage;
      inst.row = 0xffff;
    }
    inst.offset = static_cast<std::uint32_t>(offset);
  }
  link(page->insts.data(), static_cast<std::int64_t>(std::min(kPageWords, total - first)));
  Page* expected = nullptr;
  if (pages_[index].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) return page.release();
  return expected;
}

std::shared_ptr<CodeCache> makeCodeCache(Region code, Gpu gpu) {
  return std::make_shared<CodeCache>(code, gpu);
}

}  // namespace hipr::softgpu
