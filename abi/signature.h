// The types of an exported function, taken from its declaration.
#pragma once

#include <tuple>

namespace hipr::abi {

template <typename Pointer>
struct Signature;

template <typename R, typename... P>
struct Signature<R (*)(P...)> {
  using Result = R;
  static constexpr int kArity = sizeof...(P);
  template <int I>
  using Param = std::tuple_element_t<I, std::tuple<P...>>;
};

}  // namespace hipr::abi
