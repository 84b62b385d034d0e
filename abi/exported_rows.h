// Which rows the soname HIPR_ABI exports: HIPR_IN_567(x) is x or nothing.
#pragma once

#if HIPR_ABI == 5
#define HIPR_IN_5(...) __VA_ARGS__
#define HIPR_IN_56(...) __VA_ARGS__
#define HIPR_IN_67(...)
#define HIPR_IN_7(...)
#elif HIPR_ABI == 6
#define HIPR_IN_5(...)
#define HIPR_IN_56(...) __VA_ARGS__
#define HIPR_IN_67(...) __VA_ARGS__
#define HIPR_IN_7(...)
#elif HIPR_ABI == 7
#define HIPR_IN_5(...)
#define HIPR_IN_56(...)
#define HIPR_IN_67(...) __VA_ARGS__
#define HIPR_IN_7(...) __VA_ARGS__
#else
#error "HIPR_ABI must be 5, 6 or 7"
#endif
#define HIPR_IN_567(...) __VA_ARGS__
