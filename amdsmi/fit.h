// Numbers as C structures hold them. They come over the network: what does not fit is not available.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace hipr::smi {

template <class Out, class T>
std::optional<Out> fit(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<Out, bool>) {
    return static_cast<Out>(*value);
  } else if constexpr (std::is_floating_point_v<T>) {
    const double whole = std::nearbyint(static_cast<double>(*value));
    const double least = static_cast<double>(std::numeric_limits<Out>::min());
    const double beyond = std::ldexp(1.0, std::numeric_limits<Out>::digits);
    return whole >= least && whole < beyond ? std::optional<Out>(static_cast<Out>(whole)) : std::nullopt;
  } else {
    return std::in_range<Out>(*value) ? std::optional<Out>(static_cast<Out>(*value)) : std::nullopt;
  }
}

// The same in a smaller unit: watts times a million are microwatts.
template <class Out>
std::optional<Out> fit(const std::optional<double>& value, double scale) {
  return value ? fit<Out>(std::optional<double>(*value * scale)) : std::nullopt;
}

}  // namespace hipr::smi
