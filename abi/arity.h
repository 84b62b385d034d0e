// Parameter lists by number of parameters, for functions made from the rows.
//   HIPR_PARAMS(3, f)   Param<0> a0, Param<1> a1, Param<2> a2   with the types of f
//   HIPR_ARGS(3)        a0, a1, a2
#pragma once

#define HIPR_PARAM(f, i) [[maybe_unused]] hipr::abi::Signature<decltype(&::f)>::Param<i> a##i
#define HIPR_PARAMS(n, f) HIPR_PARAMS_##n(f)
#define HIPR_PARAMS_0(f)
#define HIPR_PARAMS_1(f) HIPR_PARAM(f, 0)
#define HIPR_PARAMS_2(f) HIPR_PARAMS_1(f), HIPR_PARAM(f, 1)
#define HIPR_PARAMS_3(f) HIPR_PARAMS_2(f), HIPR_PARAM(f, 2)
#define HIPR_PARAMS_4(f) HIPR_PARAMS_3(f), HIPR_PARAM(f, 3)
#define HIPR_PARAMS_5(f) HIPR_PARAMS_4(f), HIPR_PARAM(f, 4)
#define HIPR_PARAMS_6(f) HIPR_PARAMS_5(f), HIPR_PARAM(f, 5)
#define HIPR_PARAMS_7(f) HIPR_PARAMS_6(f), HIPR_PARAM(f, 6)
#define HIPR_PARAMS_8(f) HIPR_PARAMS_7(f), HIPR_PARAM(f, 7)
#define HIPR_PARAMS_9(f) HIPR_PARAMS_8(f), HIPR_PARAM(f, 8)
#define HIPR_PARAMS_10(f) HIPR_PARAMS_9(f), HIPR_PARAM(f, 9)
#define HIPR_PARAMS_11(f) HIPR_PARAMS_10(f), HIPR_PARAM(f, 10)
#define HIPR_PARAMS_12(f) HIPR_PARAMS_11(f), HIPR_PARAM(f, 11)
#define HIPR_PARAMS_13(f) HIPR_PARAMS_12(f), HIPR_PARAM(f, 12)
#define HIPR_PARAMS_14(f) HIPR_PARAMS_13(f), HIPR_PARAM(f, 13)
#define HIPR_ARGS(n) HIPR_ARGS_##n
#define HIPR_ARGS_0
#define HIPR_ARGS_1 a0
#define HIPR_ARGS_2 HIPR_ARGS_1, a1
#define HIPR_ARGS_3 HIPR_ARGS_2, a2
#define HIPR_ARGS_4 HIPR_ARGS_3, a3
#define HIPR_ARGS_5 HIPR_ARGS_4, a4
#define HIPR_ARGS_6 HIPR_ARGS_5, a5
#define HIPR_ARGS_7 HIPR_ARGS_6, a6
#define HIPR_ARGS_8 HIPR_ARGS_7, a7
#define HIPR_ARGS_9 HIPR_ARGS_8, a8
#define HIPR_ARGS_10 HIPR_ARGS_9, a9
#define HIPR_ARGS_11 HIPR_ARGS_10, a10
#define HIPR_ARGS_12 HIPR_ARGS_11, a11
#define HIPR_ARGS_13 HIPR_ARGS_12, a12
#define HIPR_ARGS_14 HIPR_ARGS_13, a13
