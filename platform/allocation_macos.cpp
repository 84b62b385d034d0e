// Allocation of a library's own, for builds that bring their C++ library along instead of using the system's: these
// operators would be exported otherwise, and the loader would let the whole program share whichever it met first.
// Compiled with all of them hidden.
#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

void* allocate(std::size_t size) {
  for (;;) {
    if (void* memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) return nullptr;
    handler();
  }
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  const std::size_t unit = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  for (;;) {
    void* memory = nullptr;
    if (::posix_memalign(&memory, unit, std::max<std::size_t>(size, 1)) == 0) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) return nullptr;
    handler();
  }
}

void* orThrow(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// clang-format off
void* operator new(std::size_t n) { return orThrow(allocate(n)); }
void* operator new[](std::size_t n) { return orThrow(allocate(n)); }
void* operator new(std::size_t n, std::align_val_t a) { return orThrow(allocate(n, a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return orThrow(allocate(n, a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, a); }
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { return allocate(n, a); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
// clang-format on
