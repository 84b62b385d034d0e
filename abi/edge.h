// Where a soname differs from HIP 7, which hipr::api speaks. Edge<&::call, Abi>::call<&api::call>(arguments) is the
// call as that soname has it; for nearly all of them it is the plain call. The others are specialised in edges_*.h.
#pragma once

#include <type_traits>

namespace hipr::abi {

template <auto Exported, int Abi>
struct Edge {
  template <auto Api, typename... Args>
  static auto call(Args... args) {
    return Api(args...);
  }
};

// One of several functions; they may have different types.
template <auto Function>
struct Identity {};
template <auto Function, auto... Others>
concept OneOf = (std::is_same_v<Identity<Function>, Identity<Others>> || ...);

}  // namespace hipr::abi
