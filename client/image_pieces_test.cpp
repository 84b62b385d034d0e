#include "client/image_pieces.h"

#include <gtest/gtest.h>

namespace hipr::client {
namespace {

// Every row of every slice is in one piece, and no piece is larger than allowed.
void expectWhole(std::size_t width, std::size_t height, std::size_t depth, std::size_t most, std::size_t count) {
  std::vector<int> seen(height * depth);
  const std::vector<ImagePiece> pieces = cut(width, height, depth, most);
  for (const ImagePiece& piece : pieces) {
    EXPECT_LE(width * piece.height * piece.depth, most);
    for (std::size_t z = piece.z; z < piece.z + piece.depth; ++z) {
      for (std::size_t y = piece.y; y < piece.y + piece.height; ++y) ++seen.at(z * height + y);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(height * depth, 1));
  EXPECT_EQ(pieces.size(), count);
}

TEST(ImagePieces, AreWholeSlicesOrRowsOfOne) {
  expectWhole(10, 1, 1, 10, 1);
  expectWhole(10, 7, 3, 1000, 1);
  expectWhole(10, 7, 3, 210, 1);
  expectWhole(10, 7, 3, 209, 2);  // two slices and one
  expectWhole(10, 7, 3, 139, 3);
  expectWhole(10, 7, 3, 69, 6);  // six rows and one, of each slice
  expectWhole(10, 7, 3, 10, 21);
  expectWhole(10, 1, 9, 40, 3);
}

}  // namespace
}  // namespace hipr::client
