// What our own libhiprtc has inside and AMD's has not.
#pragma once

namespace hipr::rtc {

inline constexpr char kMarker[] = "hip-remote's own libhiprtc";

}  // namespace hipr::rtc
