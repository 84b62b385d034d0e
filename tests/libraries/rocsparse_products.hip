// rocSPARSE's products against the CPU: sparse vectors, matrix times vector in every format, matrix times matrix, sums.
#include "rocsparse_support.h"

namespace {

// A sparse vector within a dense one: positions that differ, in any order.
struct Scattered {
  int nnz;
  std::vector<int> indices;
  std::vector<float> values, full;
  explicit Scattered(int n) : nnz(n) {
    for (int i = 0; i < n; ++i) indices.push_back(int((i * 7919ll) % (2 * n + 1)));
    values = vectorOfEighths<float>(n, 1);
    full = vectorOfEighths<float>(2 * n + 1, 2);
  }
};

}  // namespace

TEST(axpyi) {
  Handle h;
  const Scattered s(int(sized(10000)));
  Buffer<float> x(s.values), y(s.full);
  Buffer<int> indices(s.indices);
  const float alpha = 1.5f;
  SPARSE(rocsparse_saxpyi(h, s.nnz, &alpha, x, indices, y, kZero));
  auto want = s.full;
  for (int i = 0; i < s.nnz; ++i) want[s.indices[i]] += alpha * s.values[i];
  EXPECT_VEC(y.download(), want);
  check::result(want);
}

TEST(gather_and_scatter) {
  Handle h;
  const Scattered s(int(sized(10000)));
  Buffer<float> x(s.nnz), y(s.full), z(s.full);
  Buffer<int> indices(s.indices);
  SPARSE(rocsparse_sgthr(h, s.nnz, y, x, indices, kZero));
  std::vector<float> gathered, zeroed = s.full, scattered = s.full;
  for (int i : s.indices) gathered.push_back(s.full[i]), zeroed[i] = 0;
  EXPECT_VEC(x.download(), gathered);
  x.fill(0);
  SPARSE(rocsparse_sgthrz(h, s.nnz, y, x, indices, kZero));
  EXPECT_VEC(x.download(), gathered);
  EXPECT_VEC(y.download(), zeroed);
  x.upload(s.values);
  SPARSE(rocsparse_ssctr(h, s.nnz, x, indices, z, kZero));
  for (int i = 0; i < s.nnz; ++i) scattered[s.indices[i]] = s.values[i];
  EXPECT_VEC(z.download(), scattered);
}

TEST(dot_and_rotation) {
  Handle h;
  const Scattered s(int(sized(10000)));
  Buffer<float> x(s.values), y(s.full), out(1);
  Buffer<int> indices(s.indices);
  float onHost = 0, want = 0;
  for (int i = 0; i < s.nnz; ++i) want += s.values[i] * s.full[s.indices[i]];
  SPARSE(rocsparse_sdoti(h, s.nnz, x, indices, y, &onHost, kZero));
  EXPECT_EQ(onHost, want);
  SPARSE(rocsparse_set_pointer_mode(h, rocsparse_pointer_mode_device));
  SPARSE(rocsparse_sdoti(h, s.nnz, x, indices, y, out, kZero));
  EXPECT_EQ(single(out), want);
  SPARSE(rocsparse_set_pointer_mode(h, rocsparse_pointer_mode_host));
  const float c = 0.5f, sine = 2.0f;
  SPARSE(rocsparse_sroti(h, s.nnz, x, indices, y, &c, &sine, kZero));
  auto wantX = s.values, wantY = s.full;
  for (int i = 0; i < s.nnz; ++i) {
    wantX[i] = c * s.values[i] + sine * s.full[s.indices[i]];
    wantY[s.indices[i]] = c * s.full[s.indices[i]] - sine * s.values[i];
  }
  EXPECT_VEC(x.download(), wantX);
  EXPECT_VEC(y.download(), wantY);
  check::result(wantY);
}

template <class T>
using CsrMv = rocsparse_status (*)(rocsparse_handle, rocsparse_operation, int, int, int, const T*, rocsparse_mat_descr,
                                   const T*, const int*, const int*, rocsparse_mat_info, const T*, const T*, T*);

template <class T>
using Analysis = rocsparse_status (*)(rocsparse_handle, rocsparse_operation, int, int, int, rocsparse_mat_descr,
                                      const T*, const int*, const int*, rocsparse_mat_info);

template <class T>
void csrTimesVector(Handle& h, CsrMv<T> csrmv, const Csr<T>& a, bool transpose = false,
                    Analysis<T> analysis = nullptr) {
  const auto x = vectorOfEighths<T>(transpose ? a.rows : a.cols, 11);
  auto want = vectorOfEighths<T>(transpose ? a.cols : a.rows, 12);
  DeviceCsr<T> d(a);
  Info info;
  if (analysis != nullptr)
    SPARSE(analysis(h, kPlain, a.rows, a.cols, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info));
  Buffer<T> dx(x), dy(want);
  const T alpha = T(0.5), beta = T(-2);
  SPARSE(csrmv(h, transpose ? rocsparse_operation_transpose : kPlain, a.rows, a.cols, a.nnz(), &alpha, h.general,
               d.values, d.rowPtr, d.colInd, analysis != nullptr ? info.info : nullptr, dx, &beta, dy));
  multiply(transpose ? transposed(a) : a, alpha, x, beta, want);
  EXPECT_VEC(dy.download(), want);
  check::result(want);
}

TEST(csr_times_vector) {
  Handle h;
  for (int perRow : {2, 6, 20, 60, 150})  // the library takes more lanes for longer rows
    csrTimesVector<float>(h, rocsparse_scsrmv, randomMatrix<float>(int(sized(1500)), 3000, perRow, perRow));
}
TEST(csr_times_vector_in_double) {
  Handle h;
  csrTimesVector<double>(h, rocsparse_dcsrmv, randomMatrix<double>(int(sized(2000)), 1000, 10, 3));
}
TEST(transposed_csr_times_vector) {
  Handle h;
  csrTimesVector<double>(h, rocsparse_dcsrmv, randomMatrix<double>(int(sized(2000)), 1000, 10, 3), true);
}
TEST(analysed_csr_times_vector) {
  Handle h;
  csrTimesVector<float>(h, rocsparse_scsrmv, randomMatrix<float>(int(sized(4000)), 4000, 12, 4), false,
                        rocsparse_scsrmv_analysis);
}

TEST(coo_times_vector) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(2000)), 2500, 8, 5);
  const auto x = vectorOfEighths<float>(a.cols, 13);
  auto want = vectorOfEighths<float>(a.rows, 14);
  DeviceCsr<float> d(a);
  Buffer<int> rows(rowIndices(a));
  Buffer<float> dx(x), dy(want);
  const float alpha = 2, beta = 0.5f;
  SPARSE(
      rocsparse_scoomv(h, kPlain, a.rows, a.cols, a.nnz(), &alpha, h.general, d.values, rows, d.colInd, dx, &beta, dy));
  multiply(a, alpha, x, beta, want);
  EXPECT_VEC(dy.download(), want);
  check::result(want);
}

TEST(ell_times_vector) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(2000)), 2500, 8, 6);
  const auto x = vectorOfEighths<float>(a.cols, 15);
  auto want = vectorOfEighths<float>(a.rows, 16);
  DeviceCsr<float> d(a);
  int width = 0;
  SPARSE(rocsparse_csr2ell_width(h, a.rows, h.general, d.rowPtr, h.general, &width));
  int longest = 0;
  for (int r = 0; r < a.rows; ++r) longest = std::max(longest, a.rowPtr[r + 1] - a.rowPtr[r]);
  EXPECT_EQ(width, longest);
  Buffer<int> columns(std::size_t(width) * a.rows);
  Buffer<float> values(std::size_t(width) * a.rows), dx(x), dy(want);
  SPARSE(rocsparse_scsr2ell(h, a.rows, h.general, d.values, d.rowPtr, d.colInd, h.general, width, values, columns));
  const float alpha = 1, beta = -1;
  SPARSE(rocsparse_sellmv(h, kPlain, a.rows, a.cols, &alpha, h.general, values, columns, width, dx, &beta, dy));
  multiply(a, alpha, x, beta, want);
  EXPECT_VEC(dy.download(), want);
  check::result(want);
}

TEST(blocks_times_vector) {
  Handle h;
  for (int block : {2, 4, 5}) {
    const int blocks = 300, n = blocks * block;
    const auto a = randomMatrix<double>(n, n, 6, block);
    const auto x = vectorOfEighths<double>(n, 17);
    auto want = vectorOfEighths<double>(n, 18);
    DeviceCsr<double> d(a);
    Buffer<int> rowPtr(blocks + 1);
    int count = 0;
    SPARSE(rocsparse_csr2bsr_nnz(h, rocsparse_direction_row, n, n, h.general, d.rowPtr, d.colInd, block, h.general,
                                 rowPtr, &count));
    Buffer<int> columns(count);
    Buffer<double> values(std::size_t(count) * block * block), dx(x), dy(want);
    SPARSE(rocsparse_dcsr2bsr(h, rocsparse_direction_row, n, n, h.general, d.values, d.rowPtr, d.colInd, block,
                              h.general, values, rowPtr, columns));
    const double alpha = 0.25, beta = 3;
    SPARSE(rocsparse_dbsrmv(h, rocsparse_direction_row, kPlain, blocks, blocks, count, &alpha, h.general, values,
                            rowPtr, columns, block, dx, &beta, dy));
    multiply(a, alpha, x, beta, want);
    EXPECT_VEC(dy.download(), want);
    check::result(want);
  }
}

TEST(csr_times_dense_matrix) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(300)), 400, 10, 7);
  for (int n : {1, 7, 33, 64}) {
    const auto b = vectorOfEighths<float>(std::size_t(a.cols) * n, 19);
    auto want = vectorOfEighths<float>(std::size_t(a.rows) * n, 20);
    DeviceCsr<float> d(a);
    Buffer<float> db(b), dc(want);
    const float alpha = 0.5f, beta = 1;
    SPARSE(rocsparse_scsrmm(h, kPlain, kPlain, a.rows, n, a.cols, a.nnz(), &alpha, h.general, d.values, d.rowPtr,
                            d.colInd, db, a.cols, &beta, dc, a.rows));
    for (int c = 0; c < n; ++c) {
      const std::vector<float> x(b.begin() + c * a.cols, b.begin() + (c + 1) * a.cols);
      std::vector<float> y(want.begin() + c * a.rows, want.begin() + (c + 1) * a.rows);
      multiply(a, alpha, x, beta, y);
      std::copy(y.begin(), y.end(), want.begin() + c * a.rows);
    }
    EXPECT_VEC(dc.download(), want);
    check::result(want);
  }
}

TEST(csr_times_csr) {
  Handle h;
  Info info;
  const int m = int(sized(400)), k = 300, n = 350;
  const auto a = randomMatrix<float>(m, k, 5, 8), b = randomMatrix<float>(k, n, 6, 9);
  DeviceCsr<float> da(a), db(b);
  const float alpha = 1;
  std::size_t bytes = 0;
  SPARSE(rocsparse_scsrgemm_buffer_size(h, kPlain, kPlain, m, n, k, &alpha, h.general, a.nnz(), da.rowPtr, da.colInd,
                                        h.general, b.nnz(), db.rowPtr, db.colInd, nullptr, nullptr, 0, nullptr, nullptr,
                                        info, &bytes));
  Buffer<char> storage(bytes);
  Buffer<int> rowPtr(m + 1);
  int count = 0;
  SPARSE(rocsparse_csrgemm_nnz(h, kPlain, kPlain, m, n, k, h.general, a.nnz(), da.rowPtr, da.colInd, h.general, b.nnz(),
                               db.rowPtr, db.colInd, nullptr, 0, nullptr, nullptr, h.general, rowPtr, &count, info,
                               storage.get()));
  Buffer<int> columns(count);
  Buffer<float> values(count);
  SPARSE(rocsparse_scsrgemm(h, kPlain, kPlain, m, n, k, &alpha, h.general, a.nnz(), da.values, da.rowPtr, da.colInd,
                            h.general, b.nnz(), db.values, db.rowPtr, db.colInd, nullptr, nullptr, 0, nullptr, nullptr,
                            nullptr, h.general, values, rowPtr, columns, info, storage.get()));
  std::vector<int> wantRows{0}, wantColumns;
  std::vector<float> wantValues;
  for (int r = 0; r < m; ++r) {
    std::vector<std::pair<bool, float>> row(n);
    for (int i = a.rowPtr[r]; i < a.rowPtr[r + 1]; ++i)
      for (int j = b.rowPtr[a.colInd[i]]; j < b.rowPtr[a.colInd[i] + 1]; ++j) {
        row[b.colInd[j]].first = true;
        row[b.colInd[j]].second += a.values[i] * b.values[j];
      }
    for (int c = 0; c < n; ++c)
      if (row[c].first) wantColumns.push_back(c), wantValues.push_back(row[c].second);
    wantRows.push_back(int(wantColumns.size()));
  }
  EXPECT_VEC(rowPtr.download(), wantRows);
  EXPECT_VEC(columns.download(), wantColumns);
  EXPECT_VEC(values.download(), wantValues);
  check::result(wantValues);
}
