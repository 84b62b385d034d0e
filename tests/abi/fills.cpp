// Rows filled with elements of one, two and four bytes, HIP 7's hipMemsetD2D calls.
// ABIs: 7
#include "objects.h"

extern "C" {
int hipMemsetD2D8(void*, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height);
int hipMemsetD2D16(void*, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height);
int hipMemsetD2D32(void*, std::size_t pitch, unsigned value, std::size_t width, std::size_t height);
int hipMemsetD2D8Async(void*, std::size_t, unsigned char, std::size_t, std::size_t, void* stream);
int hipMemsetD2D16Async(void*, std::size_t, unsigned short, std::size_t, std::size_t, void* stream);
int hipMemsetD2D32Async(void*, std::size_t, unsigned, std::size_t, std::size_t, void* stream);
}

constexpr std::size_t kPitch = 32, kRows = 5, kColumns = 5, kHeight = 3;

// Rows of kPitch bytes, of which kHeight begin with kColumns elements.
template <class T>
static std::vector<T> filled(T value) {
  std::vector<T> out(kPitch * kRows / sizeof(T));
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kColumns; ++x) out[y * kPitch / sizeof(T) + x] = value;
  return out;
}

template <class T, class Fill, class FillAsync>
static void checkFills(Fill* fill, FillAsync* fillAsync, T value, T other) {
  const std::size_t elements = kPitch * kRows / sizeof(T), width = kColumns * sizeof(T);  // width: in bytes
  Memory memory(kPitch * kRows);
  OK(fill(memory.at, kPitch, value, width, kHeight));
  EXPECT_VEC(memory.read<T>(elements), filled(value));
  Stream stream;
  OK(fillAsync(memory.at, kPitch, other, width, kHeight, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read<T>(elements), filled(other));
  check::result(memory.read<T>(elements));
  OK(fill(memory.at, kPitch, value, 0, kHeight));  // nothing
  OK(fillAsync(memory.at, kPitch, value, width, 0, stream.handle));
  OK(hipStreamSynchronize(stream.handle));
  EXPECT_VEC(memory.read<T>(elements), filled(other));
  IS(fill(nullptr, kPitch, value, width, kHeight), kInvalidValue);
  IS(fillAsync(nullptr, kPitch, value, width, kHeight, stream.handle), kInvalidValue);
  IS(fill(memory.at, kPitch, value, width, kRows + 1), kInvalidValue);  // beyond its end
}

TEST(bytes) {
  checkFills<unsigned char>(&hipMemsetD2D8, &hipMemsetD2D8Async, 0xa5, 0x17);
}
TEST(shorts) {
  checkFills<unsigned short>(&hipMemsetD2D16, &hipMemsetD2D16Async, 0xa5b6, 0x1728);
}
TEST(words) {
  checkFills<unsigned>(&hipMemsetD2D32, &hipMemsetD2D32Async, 0xa5b6c7d8u, 0x12345678u);
}
