/* What the host programs check kernels against: MinGW's own fma() rounds twice. Linked before its libraries. */
#include <immintrin.h>

__attribute__((target("fma"))) double fma(double a, double b, double c) {
  return _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c)));
}

__attribute__((target("fma"))) float fmaf(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
