// What the rest of the library may ask of its exported face. Defined once for each soname (abi/symbols.cpp).
#pragma once

namespace hipr::abi {

// The soname this library was built for: 5, 6 or 7.
extern const int kSoname;

// The address of this library's own exported function, never an interposed one; null when this soname does not export
// it. With perThread, the _spt twin is preferred where there is one.
void* exportedSymbol(const char* name, bool perThread);

}  // namespace hipr::abi
