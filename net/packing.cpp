#include "net/packing.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace hipr::net {
namespace {

constexpr int kLevel = 1;
constexpr std::size_t kWorthIt = 15, kOfWhole = 16;  // smaller than so much of it

}  // namespace

Packer::Packer() = default;
Packer::~Packer() = default;
Unpacker::Unpacker() = default;
Unpacker::~Unpacker() = default;

void Packer::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

void Unpacker::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

bool Packer::pack(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  Context context;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      context = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!context) context.reset(ZSTD_createCCtx());
  out.resize(bytes.size() / kOfWhole * kWorthIt);
  const std::size_t size =
      context ? ZSTD_compressCCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size(), kLevel)
              : std::size_t{0};
  const bool smaller = context && !ZSTD_isError(size);  // what does not fit into `out` is an error
  out.resize(smaller ? size : 0);
  std::lock_guard lock(mutex_);
  if (context) idle_.push_back(std::move(context));
  return smaller;
}

bool Unpacker::unpack(std::span<const std::byte> packed, std::span<std::byte> out) {
  // Nothing that zstd also understands: frames of its early versions, several of them, parts to be skipped.
  std::uint32_t magic = 0;
  if (packed.size() < sizeof magic) return false;
  std::memcpy(&magic, packed.data(), sizeof magic);
  if (magic != ZSTD_MAGICNUMBER || ZSTD_getFrameContentSize(packed.data(), packed.size()) != out.size() ||
      ZSTD_findFrameCompressedSize(packed.data(), packed.size()) != packed.size())
    return false;
  std::lock_guard lock(mutex_);
  if (!context_) context_.reset(ZSTD_createDCtx());
  if (!context_) return false;
  return ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

}  // namespace hipr::net
