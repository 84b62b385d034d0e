// rocSPARSE's conversions and solvers against the CPU: formats into each other and back, sorting, triangular systems,
// incomplete factors, tridiagonal systems.
#include "rocsparse_support.h"

namespace {

// A band of five around the diagonal, dominated by it: easy to solve, with dependencies from row to row.
Csr<double> banded(int n, std::uint64_t seed) {
  Random random(seed);
  Csr<double> a{n, n, {0}, {}, {}};
  for (int r = 0; r < n; ++r) {
    for (int c : {r - 37, r - 1, r, r + 1, r + 37})
      if (c >= 0 && c < n) a.colInd.push_back(c), a.values.push_back(c == r ? 8.0 : eighths<double>(random) / 4);
    a.rowPtr.push_back(a.nnz());
  }
  return a;
}

}  // namespace

TEST(csr_to_csc) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(2000)), 1500, 8, 1);
  DeviceCsr<float> d(a);
  std::size_t bytes = 0;
  SPARSE(
      rocsparse_csr2csc_buffer_size(h, a.rows, a.cols, a.nnz(), d.rowPtr, d.colInd, rocsparse_action_numeric, &bytes));
  Buffer<char> storage(bytes);
  Buffer<int> rows(a.nnz()), columns(a.cols + 1);
  Buffer<float> values(a.nnz());
  SPARSE(rocsparse_scsr2csc(h, a.rows, a.cols, a.nnz(), d.values, d.rowPtr, d.colInd, values, rows, columns,
                            rocsparse_action_numeric, kZero, storage.get()));
  const auto t = transposed(a);
  EXPECT_VEC(columns.download(), t.rowPtr);
  EXPECT_VEC(rows.download(), t.colInd);
  EXPECT_VEC(values.download(), t.values);
  check::result(t.values);
}

TEST(csr_to_coo_and_back) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(5000)), 1500, 8, 2);
  DeviceCsr<float> d(a);
  Buffer<int> rows(a.nnz()), back(a.rows + 1);
  SPARSE(rocsparse_csr2coo(h, d.rowPtr, a.nnz(), a.rows, rows, kZero));
  EXPECT_VEC(rows.download(), rowIndices(a));
  SPARSE(rocsparse_coo2csr(h, rows, a.nnz(), a.rows, back, kZero));
  EXPECT_VEC(back.download(), a.rowPtr);
}

TEST(dense_to_csr_and_back) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(300)), 200, 9, 3);
  Buffer<float> full(dense(a)), values(a.nnz()), again(full.count());
  Buffer<int> perRow(a.rows), rowPtr(a.rows + 1), columns(a.nnz());
  int count = 0;
  SPARSE(rocsparse_snnz(h, rocsparse_direction_row, a.rows, a.cols, h.general, full, a.rows, perRow, &count));
  EXPECT_EQ(count, a.nnz());
  SPARSE(rocsparse_sdense2csr(h, a.rows, a.cols, h.general, full, a.rows, perRow, values, rowPtr, columns));
  EXPECT_VEC(rowPtr.download(), a.rowPtr);
  EXPECT_VEC(columns.download(), a.colInd);
  EXPECT_VEC(values.download(), a.values);
  SPARSE(rocsparse_scsr2dense(h, a.rows, a.cols, h.general, values, rowPtr, columns, again, a.rows));
  EXPECT_VEC(again.download(), dense(a));
  check::result(a.values);
}

TEST(sort_columns_of_rows) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(1000)), 3000, 40, 4);
  auto shuffled = a.colInd;
  Random random(5);
  for (int r = 0; r < a.rows; ++r)
    for (int i = a.rowPtr[r + 1] - 1; i > a.rowPtr[r]; --i)
      std::swap(shuffled[i], shuffled[a.rowPtr[r] + random.below(i - a.rowPtr[r] + 1)]);
  DeviceCsr<float> d(a);
  Buffer<int> columns(shuffled), permutation(a.nnz());
  std::size_t bytes = 0;
  SPARSE(rocsparse_csrsort_buffer_size(h, a.rows, a.cols, a.nnz(), d.rowPtr, columns, &bytes));
  Buffer<char> storage(bytes);
  SPARSE(rocsparse_create_identity_permutation(h, a.nnz(), permutation));
  SPARSE(rocsparse_csrsort(h, a.rows, a.cols, a.nnz(), h.general, d.rowPtr, columns, permutation, storage.get()));
  EXPECT_VEC(columns.download(), a.colInd);
  std::vector<int> followed;
  for (int from : permutation.download()) followed.push_back(shuffled[from]);
  EXPECT_VEC(followed, a.colInd);
}

// Solves L y = x or U y = x with the triangle of a banded matrix. Rows wait for each other inside one kernel.
static void solveTriangle(rocsparse_fill_mode side) {
  Handle h;
  const auto a = banded(int(sized(1000)), 6);
  DeviceCsr<double> d(a);
  const auto x = vectorOfEighths<double>(a.rows, 21);
  Buffer<double> dx(x), dy(a.rows);
  SPARSE(rocsparse_set_mat_fill_mode(h.general, side));
  SPARSE(rocsparse_set_mat_diag_type(h.general, rocsparse_diag_type_non_unit));
  Info info;
  std::size_t bytes = 0;
  SPARSE(
      rocsparse_dcsrsv_buffer_size(h, kPlain, a.rows, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info, &bytes));
  Buffer<char> storage(bytes);
  SPARSE(rocsparse_dcsrsv_analysis(h, kPlain, a.rows, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info,
                                   rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, storage.get()));
  const double alpha = 2;
  SPARSE(rocsparse_dcsrsv_solve(h, kPlain, a.rows, a.nnz(), &alpha, h.general, d.values, d.rowPtr, d.colInd, info, dx,
                                dy, rocsparse_solve_policy_auto, storage.get()));
  int pivot = 0;
  EXPECT_EQ(rocsparse_csrsv_zero_pivot(h, h.general, info, &pivot), rocsparse_status_success);
  EXPECT_EQ(pivot, -1);
  const bool lower = side == rocsparse_fill_mode_lower;
  std::vector<double> want(a.rows);
  for (int step = 0; step < a.rows; ++step) {
    const int r = lower ? step : a.rows - 1 - step;
    double rest = alpha * x[r], diagonal = 0;
    for (int i = a.rowPtr[r]; i < a.rowPtr[r + 1]; ++i) {
      const int c = a.colInd[i];
      if (c == r) diagonal = a.values[i];
      if (lower ? c < r : c > r) rest -= a.values[i] * want[c];
    }
    want[r] = rest / diagonal;
  }
  EXPECT(closeVectors(dy.download(), want, 1e-13, "y"));
  check::result(dy.download());
}
TEST(lower_triangle) {
  solveTriangle(rocsparse_fill_mode_lower);
}
TEST(upper_triangle) {
  solveTriangle(rocsparse_fill_mode_upper);
}

TEST(incomplete_factors) {
  Handle h;
  const auto a = banded(int(sized(700)), 7);
  DeviceCsr<double> d(a);
  Info info;
  std::size_t bytes = 0;
  SPARSE(rocsparse_dcsrilu0_buffer_size(h, a.rows, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info, &bytes));
  Buffer<char> storage(bytes);
  SPARSE(rocsparse_dcsrilu0_analysis(h, a.rows, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info,
                                     rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, storage.get()));
  SPARSE(rocsparse_dcsrilu0(h, a.rows, a.nnz(), h.general, d.values, d.rowPtr, d.colInd, info,
                            rocsparse_solve_policy_auto, storage.get()));
  HIP(hipDeviceSynchronize());
  auto want = a;
  const auto at = [&](int r, int c) -> double* {
    const auto begin = want.colInd.begin() + want.rowPtr[r], end = want.colInd.begin() + want.rowPtr[r + 1];
    const auto found = std::lower_bound(begin, end, c);
    return found != end && *found == c ? &want.values[found - want.colInd.begin()] : nullptr;
  };
  for (int r = 0; r < a.rows; ++r)
    for (int i = a.rowPtr[r]; a.colInd[i] < r; ++i) {
      const int k = a.colInd[i];
      const double factor = want.values[i] /= *at(k, k);
      for (int j = i + 1; j < a.rowPtr[r + 1]; ++j)
        if (const double* above = at(k, a.colInd[j])) want.values[j] -= factor * *above;
    }
  EXPECT(closeVectors(d.values.download(), want.values, 1e-13, "LU"));
  check::result(d.values.download());
}

TEST(tridiagonal_systems) {
  Handle h;
  const int m = int(sized(600)), n = 5;
  auto lower = vectorOfEighths<float>(m, 31), upper = vectorOfEighths<float>(m, 32);
  std::vector<float> diagonal(m, 16.0f);
  lower[0] = upper[m - 1] = 0;
  const auto x = vectorOfEighths<float>(std::size_t(m) * n, 33);  // the solution; B is made from it
  std::vector<float> b(x.size());
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < m; ++r) {
      const float* column = &x[std::size_t(c) * m];
      b[std::size_t(c) * m + r] =
          diagonal[r] * column[r] + (r > 0 ? lower[r] * column[r - 1] : 0) + (r + 1 < m ? upper[r] * column[r + 1] : 0);
    }
  Buffer<float> dl(lower), dd(diagonal), du(upper), db(b);
  std::size_t bytes = 0;
  SPARSE(rocsparse_sgtsv_buffer_size(h, m, n, dl, dd, du, db, m, &bytes));
  Buffer<char> storage(bytes);
  SPARSE(rocsparse_sgtsv(h, m, n, dl, dd, du, db, m, storage.get()));
  EXPECT(closeVectors(db.download(), x, 1e-5, "x"));
  check::result(db.download());
}
