// How a copy between the host and an array is cut into pieces, each of which fits into a little device memory on its
// way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hipr::client {

struct ImagePiece {  // rows [y, y + height) of the slices [z, z + depth)
  std::size_t y, z, height, depth;
};

// In order, at most `most` bytes each. REQUIRES: that is enough for a row
inline std::vector<ImagePiece> cut(std::size_t width, std::size_t height, std::size_t depth, std::size_t most) {
  const std::size_t rows = std::min(height, most / width), slices = rows == height ? most / width / height : 1;
  std::vector<ImagePiece> pieces;
  for (std::size_t z = 0; z < depth; z += slices) {
    for (std::size_t y = 0; y < height; y += rows)
      pieces.push_back({y, z, std::min(rows, height - y), std::min(slices, depth - z)});
  }
  return pieces;
}

}  // namespace hipr::client
