// The functions of UCX that we use, of the library that this system has.
#pragma once

#include <ucp/api/ucp.h>

#include "base/status.h"

namespace hipr::net {

struct UcxLibrary {
#define UCX(name) decltype(&::name) name = nullptr;
#include "net/ucx_functions.def"

  // Opened once, for the life of the process.
  static Status find(const UcxLibrary*& out);
  static bool openedByParent();
};

}  // namespace hipr::net
