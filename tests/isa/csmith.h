/* Stands in for csmith's own runtime header: no stdio, the checksum goes to csm_result, and nothing here is a global
   that lanes would share, so that a whole program can also be the body of a struct. */
#ifndef HIPR_CSMITH_H
#define HIPR_CSMITH_H

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define printf(...) ((void)0)
#define memcpy __builtin_memcpy
#ifdef __cplusplus /* also after a comma */
#undef NULL
#define NULL nullptr
#endif
#define fabsf __builtin_fabsf
#define fabs __builtin_fabs
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define COUNT(n)
#define TC
#define SAFE
#define STATIC static
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"
#undef FUNC_NAME

#define INT_BIT (sizeof(int) * CHAR_BIT)
#define _CSMITH_BITFIELD(x) (((x) > INT_BIT) ? ((x) % INT_BIT) : (x))

#ifndef CSM_IN_STRUCT
#include "csmith_crc.h"
#endif

#endif
