// CodeCache: pages of decoded instructions, made at first use by whichever thread gets there.
#include <array>
#include <cstring>

#include "backends/softgpu/isa/decode.h"
#include "backends/softgpu/isa/wave.h"

namespace hipr::softgpu {
namespace {

constexpr std::uint64_t kPageWords = 1024;

// Stands after the last instruction of a page; an instruction is at most two dwords, so two of them suffice.
void enterNextPage(Wave& w, const Inst& i) {
  const Inst* next = w.code->atOffset(i.offset);
  if (!next)
    return raise(w, i, FaultKind::kMemory, "instruction fetch past the end of the code", -1, w.code->addressOf(i));
  w.ip = next;
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
  const char* bytes = reinterpret_cast<const char*>(code_.begin);
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
  Page* expected = nullptr;
  if (pages_[index].compare_exchange_strong(expected, page.get(), std::memory_order_acq_rel)) return page.release();
  return expected;
}

std::shared_ptr<CodeCache> makeCodeCache(Region code, Gpu gpu) {
  return std::make_shared<CodeCache>(code, gpu);
}

}  // namespace hipr::softgpu
