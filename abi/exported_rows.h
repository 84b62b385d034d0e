// Which rows the library of HIPR_ABI has: HIPR_IN_567(x) is x or nothing. On Windows all three export what HIP 7 does
// (HIPR_SAME_EXPORTS; the module definition leaves out the rest), so nearly every row is in all of them.
#pragma once

#if HIPR_ABI == 5
#define HIPR_IN_5(...) __VA_ARGS__
#else
#define HIPR_IN_5(...)
#endif
#if HIPR_ABI < 7 || defined(HIPR_SAME_EXPORTS)
#define HIPR_IN_56(...) __VA_ARGS__
#else
#define HIPR_IN_56(...)
#endif
#if HIPR_ABI > 5 || defined(HIPR_SAME_EXPORTS)
#define HIPR_IN_67(...) __VA_ARGS__
#else
#define HIPR_IN_67(...)
#endif
#if HIPR_ABI > 6 || defined(HIPR_SAME_EXPORTS)
#define HIPR_IN_7(...) __VA_ARGS__
#else
#define HIPR_IN_7(...)
#endif
#define HIPR_IN_567(...) __VA_ARGS__
