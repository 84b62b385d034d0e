// What compilers spell differently.
#pragma once

// Before a function that a library of ours exports: one that has a list of what it exports, which on Windows is all
// that counts, or one that has none.
#ifdef _WIN32
#define HIPR_EXPORTED
#define HIPR_EXPORTED_UNLISTED __declspec(dllexport)
#else
#define HIPR_EXPORTED [[gnu::visibility("default")]]
#define HIPR_EXPORTED_UNLISTED [[gnu::visibility("default")]]
#endif

// What the object file puts in front of a C name.
#ifdef __APPLE__
#define HIPR_SYMBOL_PREFIX "_"
#else
#define HIPR_SYMBOL_PREFIX ""
#endif
