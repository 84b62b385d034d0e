// Texel: one, two or four channels of one format, and the three ways in which HIP's calls describe it.
#pragma once

#include <cstddef>
#include <iterator>

#include "hip_remote/hip.h"

namespace hipr {

struct Texel {
  hipArray_Format format = HIP_AD_FORMAT_UNSIGNED_INT8;
  unsigned channels = 0;
};

// 0: there is no such format.
inline std::size_t channelBytes(hipArray_Format format) {
  switch (format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT8:
      return 1;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_HALF:
      return 2;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
    case HIP_AD_FORMAT_SIGNED_INT32:
    case HIP_AD_FORMAT_FLOAT:
      return 4;
  }
  return 0;
}

inline std::size_t bytesOf(const Texel& texel) {
  return channelBytes(texel.format) * texel.channels;
}

// False: nothing that a texel can be.
inline bool texelOf(const hipChannelFormatDesc& d, Texel& out) {
  const bool equal = (d.y == 0 || d.y == d.x) && (d.z == 0 || d.z == d.x) && (d.w == 0 || d.w == d.x);
  const bool gapless = (d.y != 0 || (d.z == 0 && d.w == 0)) && (d.z != 0 || d.w == 0);
  out.channels = 1u + (d.y != 0) + (d.z != 0) + (d.w != 0);
  if (!equal || !gapless || out.channels == 3) return false;
  const bool isSigned = d.f == hipChannelFormatKindSigned, isFloat = d.f == hipChannelFormatKindFloat;
  if (!isSigned && !isFloat && d.f != hipChannelFormatKindUnsigned) return false;
  switch (d.x) {
    case 8:
      out.format = isSigned ? HIP_AD_FORMAT_SIGNED_INT8 : HIP_AD_FORMAT_UNSIGNED_INT8;
      return !isFloat;
    case 16:
      out.format = isFloat ? HIP_AD_FORMAT_HALF : isSigned ? HIP_AD_FORMAT_SIGNED_INT16 : HIP_AD_FORMAT_UNSIGNED_INT16;
      return true;
    case 32:
      out.format = isFloat ? HIP_AD_FORMAT_FLOAT : isSigned ? HIP_AD_FORMAT_SIGNED_INT32 : HIP_AD_FORMAT_UNSIGNED_INT32;
      return true;
    default:
      return false;
  }
}

inline bool texelOf(hipResourceViewFormat view, Texel& out) {
  // Three numbers of channels for each format, in this order.
  static constexpr hipArray_Format kFormats[] = {HIP_AD_FORMAT_UNSIGNED_INT8,  HIP_AD_FORMAT_SIGNED_INT8,
                                                 HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT16,
                                                 HIP_AD_FORMAT_UNSIGNED_INT32, HIP_AD_FORMAT_SIGNED_INT32,
                                                 HIP_AD_FORMAT_HALF,           HIP_AD_FORMAT_FLOAT};
  static constexpr unsigned kChannels[] = {1, 2, 4};
  if (view < hipResViewFormatUnsignedChar1 || view > hipResViewFormatFloat4) return false;
  const auto at = static_cast<unsigned>(view - hipResViewFormatUnsignedChar1);
  out = {kFormats[at / std::size(kChannels)], kChannels[at % std::size(kChannels)]};
  return true;
}

inline hipChannelFormatDesc channelsOf(const Texel& texel) {
  const int bits = static_cast<int>(channelBytes(texel.format) * 8);
  const auto at = [&](unsigned channel) { return channel < texel.channels ? bits : 0; };
  hipChannelFormatKind kind = hipChannelFormatKindUnsigned;
  if (texel.format == HIP_AD_FORMAT_HALF || texel.format == HIP_AD_FORMAT_FLOAT) kind = hipChannelFormatKindFloat;
  if (texel.format == HIP_AD_FORMAT_SIGNED_INT8 || texel.format == HIP_AD_FORMAT_SIGNED_INT16 ||
      texel.format == HIP_AD_FORMAT_SIGNED_INT32)
    kind = hipChannelFormatKindSigned;
  return {at(0), at(1), at(2), at(3), kind};
}

}  // namespace hipr
