// Address space and pages of this process. Sizes and addresses need not be multiples of a page unless it says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipr::platform {

std::size_t pageSize();
std::uint64_t physicalMemory();  // of the machine, in bytes

inline std::size_t roundToPage(std::size_t size) {
  return (size + pageSize() - 1) / pageSize() * pageSize();
}

// More than this is better not reserved in one go: addresses are free on Linux and macOS; Windows keeps books on them,
// and Wine a byte for every page.
extern const std::uint64_t kMostReserved;

// Addresses without memory behind them; touching them is a crash until commit(). Null when there is no room.
void* reserve(std::size_t size);
// The same, exactly there; false when something is there already.
bool reserveAt(void* base, std::size_t size);
void release(void* base, std::size_t size);  // REQUIRES: what one reserve() or reserveAt() gave

// REQUIRES: whole pages of a reservation.
bool commit(void* address, std::size_t size);    // zero-filled, readable and writable
void decommit(void* address, std::size_t size);  // gives the memory back, keeps the addresses

// Zero-filled pages of their own. Null when there is no memory.
void* allocatePages(std::size_t size);
void freePages(void* address, std::size_t size);

// Every page of it is memory of this process, so touching it does not crash.
bool isMapped(const void* address, std::size_t size);

}  // namespace hipr::platform
