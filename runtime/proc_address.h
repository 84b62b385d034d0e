// The exported functions, by name. Defined where they are exported (abi/), so that a program gets exactly the function
// it would have linked to.
#pragma once

namespace hipr {

// Null when this library exports no such function. With `perThread`, the _spt variant where there is one.
void* exportedSymbol(const char* name, bool perThread);

}  // namespace hipr
