// Packing: compression of bulk data while it travels, with zstd at level 1: the fastest that also shrinks numbers whose
// exponents are alike. (LZ4 is a third faster on text and leaves 16-bit weights as they are.) Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace hipr::net {

class Packer {
 public:
  Packer();
  ~Packer();
  // False, and nothing in `out`: it would be hardly smaller.
  bool pack(std::span<const std::byte> bytes, std::vector<std::byte>& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  using Context = std::unique_ptr<ZSTD_CCtx_s, Free>;

  std::mutex mutex_;
  std::vector<Context> idle_;  // one for each thread that has packed at the same time as others
};

class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  // Fills `out` with what was packed. False when `packed`, every byte of which may be a lie, is anything else than one
  // frame of exactly that size; what is in `out` means nothing then.
  bool unpack(std::span<const std::byte> packed, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::mutex mutex_;
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;  // made when it is first needed
};

}  // namespace hipr::net
