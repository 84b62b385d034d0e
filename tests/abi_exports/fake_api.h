// A runtime without content, to test the exported face alone: hipr::api::NAME calls hook<&::NAME> where a test has set
// one and otherwise answers with zero, which is success.
#pragma once

#include <functional>
#include <type_traits>

#include "hip_remote/hip.h"

namespace hipr::fake {

template <auto Function>
inline std::function<std::remove_pointer_t<decltype(Function)>> hook;

}  // namespace hipr::fake
