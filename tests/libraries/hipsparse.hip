// hipSPARSE, the portable face of rocSPARSE: its generic interface (matrices and vectors as objects) and a few classic
// calls.
#include <hipsparse/hipsparse.h>

#include "sparse_reference.h"

namespace {

#define SPARSE(CALL) REQUIRE((CALL) == HIPSPARSE_STATUS_SUCCESS)
constexpr auto kPlain = HIPSPARSE_OPERATION_NON_TRANSPOSE;

struct Handle {
  hipsparseHandle_t handle = nullptr;
  Handle() { SPARSE(hipsparseCreate(&handle)); }
  ~Handle() { (void)hipsparseDestroy(handle); }
  operator hipsparseHandle_t() const { return handle; }
};

hipsparseSpMatDescr_t describe(const Csr<float>& a, const DeviceCsr<float>& d) {
  hipsparseSpMatDescr_t matrix = nullptr;
  SPARSE(hipsparseCreateCsr(&matrix, a.rows, a.cols, a.nnz(), d.rowPtr, d.colInd, d.values, HIPSPARSE_INDEX_32I,
                            HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_BASE_ZERO, HIP_R_32F));
  return matrix;
}
hipsparseDnVecDescr_t describe(const Buffer<float>& v) {
  hipsparseDnVecDescr_t vector = nullptr;
  SPARSE(hipsparseCreateDnVec(&vector, int64_t(v.count()), v, HIP_R_32F));
  return vector;
}
hipsparseDnMatDescr_t describe(const Buffer<float>& m, int rows, int cols) {  // column by column
  hipsparseDnMatDescr_t matrix = nullptr;
  SPARSE(hipsparseCreateDnMat(&matrix, rows, cols, rows, m, HIP_R_32F, HIPSPARSE_ORDER_COLUMN));
  return matrix;
}

}  // namespace

TEST(spmv) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(3000)), 2000, 9, 1);
  DeviceCsr<float> d(a);
  const auto x = vectorOfEighths<float>(a.cols, 2);
  for (auto algorithm : {HIPSPARSE_SPMV_ALG_DEFAULT, HIPSPARSE_SPMV_CSR_ALG1, HIPSPARSE_SPMV_CSR_ALG2}) {
    auto want = vectorOfEighths<float>(a.rows, 3);
    Buffer<float> dx(x), dy(want);
    const auto matrix = describe(a, d);
    const auto vx = describe(dx), vy = describe(dy);
    const float alpha = 2, beta = -0.5f;
    std::size_t bytes = 0;
    SPARSE(hipsparseSpMV_bufferSize(h, kPlain, &alpha, matrix, vx, &beta, vy, HIP_R_32F, algorithm, &bytes));
    Buffer<char> storage(std::max<std::size_t>(bytes, 4));
    SPARSE(hipsparseSpMV(h, kPlain, &alpha, matrix, vx, &beta, vy, HIP_R_32F, algorithm, storage.get()));
    multiply(a, alpha, x, beta, want);
    EXPECT_VEC(dy.download(), want);
    check::result(want);
    SPARSE(hipsparseDestroyDnVec(vx));
    SPARSE(hipsparseDestroyDnVec(vy));
    SPARSE(hipsparseDestroySpMat(matrix));
  }
}

TEST(spmm) {
  Handle h;
  const int n = 24;
  const auto a = randomMatrix<float>(int(sized(400)), 300, 9, 4);
  DeviceCsr<float> d(a);
  const auto b = vectorOfEighths<float>(std::size_t(a.cols) * n, 5);
  Buffer<float> db(b), dc(std::size_t(a.rows) * n);
  const auto matrix = describe(a, d);
  const auto mb = describe(db, a.cols, n), mc = describe(dc, a.rows, n);
  const float alpha = 1, beta = 0;
  std::size_t bytes = 0;
  const auto algorithm = HIPSPARSE_SPMM_ALG_DEFAULT;
  SPARSE(hipsparseSpMM_bufferSize(h, kPlain, kPlain, &alpha, matrix, mb, &beta, mc, HIP_R_32F, algorithm, &bytes));
  Buffer<char> storage(std::max<std::size_t>(bytes, 4));
  SPARSE(hipsparseSpMM(h, kPlain, kPlain, &alpha, matrix, mb, &beta, mc, HIP_R_32F, algorithm, storage.get()));
  std::vector<float> want;
  for (int c = 0; c < n; ++c) {
    std::vector<float> y(a.rows);
    multiply(a, alpha, std::vector<float>(b.begin() + c * a.cols, b.begin() + (c + 1) * a.cols), beta, y);
    want.insert(want.end(), y.begin(), y.end());
  }
  EXPECT_VEC(dc.download(), want);
  check::result(want);
  SPARSE(hipsparseDestroyDnMat(mb));
  SPARSE(hipsparseDestroyDnMat(mc));
  SPARSE(hipsparseDestroySpMat(matrix));
}

TEST(dense_to_sparse) {
  Handle h;
  const auto a = randomMatrix<float>(int(sized(200)), 150, 7, 6);
  Buffer<float> full(dense(a));
  Buffer<int> rowPtr(a.rows + 1);
  const auto from = describe(full, a.rows, a.cols);
  hipsparseSpMatDescr_t to = nullptr;
  SPARSE(hipsparseCreateCsr(&to, a.rows, a.cols, 0, rowPtr, nullptr, nullptr, HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_32I,
                            HIPSPARSE_INDEX_BASE_ZERO, HIP_R_32F));
  std::size_t bytes = 0;
  SPARSE(hipsparseDenseToSparse_bufferSize(h, from, to, HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
  Buffer<char> storage(std::max<std::size_t>(bytes, 4));
  SPARSE(hipsparseDenseToSparse_analysis(h, from, to, HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT, storage.get()));
  int64_t rows = 0, cols = 0, count = 0;
  SPARSE(hipsparseSpMatGetSize(to, &rows, &cols, &count));
  REQUIRE(count == a.nnz());
  Buffer<int> columns(a.nnz());
  Buffer<float> values(a.nnz());
  SPARSE(hipsparseCsrSetPointers(to, rowPtr, columns, values));
  SPARSE(hipsparseDenseToSparse_convert(h, from, to, HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT, storage.get()));
  EXPECT_VEC(rowPtr.download(), a.rowPtr);
  EXPECT_VEC(columns.download(), a.colInd);
  EXPECT_VEC(values.download(), a.values);
  SPARSE(hipsparseDestroyDnMat(from));
  SPARSE(hipsparseDestroySpMat(to));
}

TEST(classic_calls) {
  Handle h;
  Stream stream(hipStreamNonBlocking);
  SPARSE(hipsparseSetStream(h, stream));
  const auto a = randomMatrix<float>(int(sized(1000)), 800, 6, 7);
  DeviceCsr<float> d(a);
  Buffer<int> rows(a.nnz()), cscRows(a.nnz()), cscColumns(a.cols + 1);
  Buffer<float> cscValues(a.nnz());
  SPARSE(hipsparseXcsr2coo(h, d.rowPtr, a.nnz(), a.rows, rows, HIPSPARSE_INDEX_BASE_ZERO));
  SPARSE(hipsparseScsr2csc(h, a.rows, a.cols, a.nnz(), d.values, d.rowPtr, d.colInd, cscValues, cscRows, cscColumns,
                           HIPSPARSE_ACTION_NUMERIC, HIPSPARSE_INDEX_BASE_ZERO));
  HIP(hipStreamSynchronize(stream));
  const auto t = transposed(a);
  EXPECT_VEC(rows.download(), rowIndices(a));
  EXPECT_VEC(cscColumns.download(), t.rowPtr);
  EXPECT_VEC(cscRows.download(), t.colInd);
  EXPECT_VEC(cscValues.download(), t.values);
  check::result(t.values);
}
