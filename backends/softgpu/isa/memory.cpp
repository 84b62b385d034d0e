#include "backends/softgpu/isa/memory.h"

#include "backends/softgpu/isa/span.h"

namespace hipr::softgpu::HIPR_LEVEL {
namespace {

const char* pointer(std::uint64_t address) {
  return reinterpret_cast<const char*>(address);
}
char* writable(std::uint64_t address) {
  return reinterpret_cast<char*>(address);
}

bool contiguous(const Addresses& a, unsigned stride) {
  std::uint64_t wrong = 0;
  for (int l = 0; l < kLanes; ++l) wrong |= a.at[l] ^ (a.at[0] + std::uint64_t{stride} * static_cast<unsigned>(l));
  return wrong == 0;
}

// Sign-extended if T is signed.
template <class T>
std::uint32_t readAs(std::uint64_t address) {
  T value;
  std::memcpy(&value, pointer(address), sizeof value);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}
template <class T>
void readLanes(const Addresses& a, std::uint32_t* values) {
  for (int l = 0; l < kLanes; ++l) values[l] = readAs<T>(a.at[l]);
}
void readParts(const Addresses& a, Part part, std::uint32_t* values) {
  switch (part) {
    case Part::kByte:
      return readLanes<std::uint8_t>(a, values);
    case Part::kSignedByte:
      return readLanes<std::int8_t>(a, values);
    case Part::kShort:
      return readLanes<std::uint16_t>(a, values);
    case Part::kSignedShort:
      return readLanes<std::int16_t>(a, values);
  }
}

// The fixed sizes let the copies become single moves; 64-bit values are read and written whole. Lanes of several dwords
// are put side by side first, from where vectors take them apart.
template <unsigned N>
void gather(const Addresses& a, std::uint32_t* row) {
  alignas(64) std::uint32_t lanes[N * kLanes];
  std::uint32_t* to = N == 1 ? row : lanes;
  for (int l = 0; l < kLanes; ++l) std::memcpy(to + N * l, pointer(a.at[l]), 4 * N);
  if (N > 1) loadAll(reinterpret_cast<std::uint64_t>(lanes), N, row);
}

template <unsigned N>
void scatter(const Addresses& a, Rows row) {
  alignas(64) std::uint32_t lanes[N * kLanes];
  if (N > 1) storeAll(reinterpret_cast<std::uint64_t>(lanes), N, row);
  Rows from = N == 1 ? row : lanes;
  if (a.active == ~0ull) {
    for (int l = 0; l < kLanes; ++l) std::memcpy(writable(a.at[l]), from + N * l, 4 * N);
    return;
  }
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    std::memcpy(writable(a.at[l]), from + N * l, 4 * N);
  }
}

}  // namespace

void repeatActive(Addresses& a) {
  if (a.active == ~0ull) return;
  std::uint64_t some = a.at[std::countr_zero(a.active)];
  for (int l = 0; l < kLanes; ++l) a.at[l] = (a.active >> l) & 1 ? a.at[l] : some;
}

bool checkAll(Wave& w, const Inst& i, Addresses& a, unsigned bytes) {
  if (a.checked) return true;
  std::uint64_t low = a.at[0], high = a.at[0];
  for (int l = 0; l < kLanes; ++l) {
    low = a.at[l] < low ? a.at[l] : low;
    high = a.at[l] > high ? a.at[l] : high;
  }
  std::uint64_t span = high - low + bytes;
  if (span >= bytes) {
    if (const Region* region = reachable(w, low, span)) {
      if (std::uint64_t shift = region->shift)
        for (std::uint64_t& at : a.at) at += shift;
      return true;
    }
  }
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    const Region* region = reachable(w, a.at[l], bytes);
    if (!region) {
      raise(w, i, FaultKind::kMemory, "memory access fault", l, a.at[l]);
      return false;
    }
    a.at[l] += region->shift;
  }
  repeatActive(a);
  return true;
}

void loadDwords(Wave& w, const Inst& i, Addresses& a, unsigned dwords, std::uint32_t* row, unsigned stride) {
  if (!a.active || !checkAll(w, i, a, (dwords - 1) * stride + 4)) return;
  bool full = a.active == ~0ull;
  if (full && stride != 4 && contiguous(a, 4)) {
    for (unsigned k = 0; k < dwords; ++k)
      std::memcpy(row + k * kLanes, pointer(a.at[0] + std::uint64_t{k} * stride), 4 * kLanes);
    return;
  }
  alignas(64) std::uint32_t values[4 * kLanes];
  std::uint32_t* to = full ? row : values;
  if (stride != 4) {
    for (unsigned k = 0; k < dwords; ++k)
      for (int l = 0; l < kLanes; ++l)
        std::memcpy(&to[k * kLanes + l], pointer(a.at[l] + std::uint64_t{k} * stride), 4);
  } else if (dwords == 1) {
    gather<1>(a, to);
  } else if (dwords == 2) {
    gather<2>(a, to);
  } else if (dwords == 3) {
    gather<3>(a, to);
  } else {
    gather<4>(a, to);
  }
  if (!full) storeMasked(w, row, values, dwords);
}

void storeDwords(Wave& w, const Inst& i, Addresses& a, unsigned dwords, Rows row, unsigned stride) {
  if (!a.active || !checkAll(w, i, a, (dwords - 1) * stride + 4)) return;
  if (a.active == ~0ull && stride != 4 && contiguous(a, 4)) {
    for (unsigned k = 0; k < dwords; ++k)
      std::memcpy(writable(a.at[0] + std::uint64_t{k} * stride), row + k * kLanes, 4 * kLanes);
    return;
  }
  if (stride != 4) {
    Addresses moved = a;
    for (unsigned k = 0; k < dwords; ++k) {
      scatter<1>(moved, row + k * kLanes);
      for (int l = 0; l < kLanes; ++l) moved.at[l] += stride;
    }
  } else if (dwords == 1) {
    scatter<1>(a, row);
  } else if (dwords == 2) {
    scatter<2>(a, row);
  } else if (dwords == 3) {
    scatter<3>(a, row);
  } else {
    scatter<4>(a, row);
  }
}

void loadPart(Wave& w, const Inst& i, Addresses& a, Part part, Place place, std::uint32_t* row) {
  if (!a.active || !checkAll(w, i, a, part >= Part::kShort ? 2 : 1)) return;
  alignas(64) std::uint32_t values[kLanes];
  readParts(a, part, values);
  if (place != Place::kWhole)
    for (int l = 0; l < kLanes; ++l) values[l] = placePart(values[l], place);
  storeMasked(w, row, values, 1);
}

void storePart(Wave& w, const Inst& i, Addresses& a, unsigned bytes, bool high, Rows row) {
  if (!a.active || !checkAll(w, i, a, bytes)) return;
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    std::uint32_t value = high ? row[l] >> 16 : row[l];
    if (bytes == 1) {
      std::memcpy(writable(a.at[l]), &value, 1);
    } else {
      std::memcpy(writable(a.at[l]), &value, 2);
    }
  }
}

void loadToLds(Wave& w, const Inst& i, Addresses& a, unsigned bytes, bool sign) {
  if (a.active && !checkAll(w, i, a, bytes)) return;
  std::uint32_t values[kLanes] = {};
  for (std::uint64_t left = a.active; left; left &= left - 1) {
    int l = std::countr_zero(left);
    if (bytes == 4)
      std::memcpy(&values[l], pointer(a.at[l]), 4);
    else if (bytes == 2)
      values[l] = sign ? readAs<std::int16_t>(a.at[l]) : readAs<std::uint16_t>(a.at[l]);
    else
      values[l] = sign ? readAs<std::int8_t>(a.at[l]) : readAs<std::uint8_t>(a.at[l]);
  }
  storeToLds(w, i, values);
}

void storeToLds(Wave& w, const Inst& i, Rows values) {
  std::vector<std::uint8_t>& lds = w.group->lds;
  std::uint64_t base = (w.s[kM0] & 0xffff) + i.literal;  // the instruction's offset counts on both sides
  for (std::uint64_t left = w.exec(); left; left &= left - 1) {
    int l = std::countr_zero(left);
    std::uint64_t to = base + static_cast<unsigned>(l) * 4;
    if (to + 4 <= lds.size()) std::memcpy(&lds[to], &values[l], 4);  // else as in lds.h
  }
}

}  // namespace hipr::softgpu::HIPR_LEVEL
