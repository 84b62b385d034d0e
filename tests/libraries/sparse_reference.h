// Sparse matrices on the CPU, for comparison. Values are small multiples of 1/8, so that every sum of products is exact
// in single precision and therefore the same in whatever order a GPU takes it.
#pragma once
#include "support.h"

template <class T>
struct Csr {
  int rows, cols;
  std::vector<int> rowPtr{0}, colInd;
  std::vector<T> values;
  int nnz() const { return static_cast<int>(values.size()); }
};

template <class T>
T eighths(Random& random) {
  const int x = random.below(63) - 31;
  return static_cast<T>(x == 0 ? 7 : x) / 8;
}

template <class T>
std::vector<T> vectorOfEighths(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = eighths<T>(random);
  return v;
}

// About perRow entries in a row, sorted by column; some rows are empty, and one in a hundred is thirty times as long.
template <class T>
Csr<T> randomMatrix(int rows, int cols, int perRow, std::uint64_t seed) {
  Random random(seed);
  Csr<T> a{rows, cols, {0}, {}, {}};
  for (int r = 0; r < rows; ++r) {
    const int wanted = std::min(cols, random.below(100) == 0 ? 30 * perRow : random.below(2 * perRow + 1));
    std::vector<int> columns;
    for (int i = 0; i < wanted; ++i) columns.push_back(random.below(cols));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (int c : columns) {
      a.colInd.push_back(c);
      a.values.push_back(eighths<T>(random));
    }
    a.rowPtr.push_back(a.nnz());
  }
  return a;
}

// y = alpha A x + beta y
template <class T>
void multiply(const Csr<T>& a, T alpha, const std::vector<T>& x, T beta, std::vector<T>& y) {
  for (int r = 0; r < a.rows; ++r) {
    T sum = 0;
    for (int i = a.rowPtr[r]; i < a.rowPtr[r + 1]; ++i) sum += a.values[i] * x[a.colInd[i]];
    y[r] = alpha * sum + beta * y[r];
  }
}

template <class T>
Csr<T> transposed(const Csr<T>& a) {
  std::vector<std::vector<std::pair<int, T>>> columns(a.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int i = a.rowPtr[r]; i < a.rowPtr[r + 1]; ++i) columns[a.colInd[i]].push_back({r, a.values[i]});
  Csr<T> t{a.cols, a.rows, {0}, {}, {}};
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) t.colInd.push_back(row), t.values.push_back(value);
    t.rowPtr.push_back(t.nnz());
  }
  return t;
}

template <class T>
std::vector<T> dense(const Csr<T>& a) {  // column by column
  std::vector<T> d(std::size_t(a.rows) * a.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int i = a.rowPtr[r]; i < a.rowPtr[r + 1]; ++i) d[std::size_t(a.colInd[i]) * a.rows + r] = a.values[i];
  return d;
}

template <class T>
std::vector<int> rowIndices(const Csr<T>& a) {
  std::vector<int> rows;
  for (int r = 0; r < a.rows; ++r) rows.insert(rows.end(), a.rowPtr[r + 1] - a.rowPtr[r], r);
  return rows;
}

template <class T>
struct DeviceCsr {
  Buffer<int> rowPtr, colInd;
  Buffer<T> values;
  explicit DeviceCsr(const Csr<T>& a) : rowPtr(a.rowPtr), colInd(a.colInd), values(a.values) {}
};
