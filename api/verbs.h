// What the verb of a row means to code made from the rows. HIPR_BUILT_##verb(code) is `code` where hipr::api has the
// call, HIPR_MISSING_##verb(code) where it has not. How a call waits is no business of the code: tests/e2e/rows
// compares it with the verb.
#pragma once

#define HIPR_BUILT_Local(...) __VA_ARGS__
#define HIPR_BUILT_Post(...) __VA_ARGS__
#define HIPR_BUILT_Wait(...) __VA_ARGS__
#define HIPR_BUILT_Direct(...) __VA_ARGS__
#define HIPR_BUILT_Todo(...)

#define HIPR_MISSING_Local(...)
#define HIPR_MISSING_Post(...)
#define HIPR_MISSING_Wait(...)
#define HIPR_MISSING_Direct(...)
#define HIPR_MISSING_Todo(...) __VA_ARGS__
