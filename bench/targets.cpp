#include "bench/targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace hipr::bench {
namespace {

constexpr std::size_t kSmall = 256 << 10, kMiddle = 1 << 20, kLarge = 256 << 20;

// 48 bytes are about what a small request and its answer have; TCP does not notice the difference.
const Baseline kBaselines[] = {
    {"ping_pong", "blocking ping-pong", 48, 48},
    {"ping_pong_spinning", "spinning ping-pong", 48, 48, Baseline::Kind::kSpinningSocket},
    {"up_256k", "256 KiB sent raw", kSmall, 8},
    {"up_1m", "1 MiB sent raw", kMiddle, 8},
    {"down_256k", "256 KiB received raw", 8, kSmall},
    {"down_1m", "1 MiB received raw", 8, kMiddle},
    {"up_256m", "256 MiB sent raw", kLarge, 8},
    {"down_256m", "256 MiB received raw", 8, kLarge},
    {"memcpy_256m", "256 MiB memcpy", kLarge, 0, Baseline::Kind::kCopy},
    {"futex", "futex ping-pong", 0, 0, Baseline::Kind::kFutex},
};

constexpr Quantity kTime = Quantity::kTime, kProcessorTime = Quantity::kProcessorTime, kTrips = Quantity::kRoundTrips;
constexpr double kNs = 1e-9;
constexpr double kBlocking = 1.15, kSpinning = 1.5, kCopy = 1.2;
constexpr double kStreaming = 1 / 0.9;  // nine tenths of raw streaming's rate

// Where program and worker share memory. What sleeps is woken there too: hence the lines after a pause.
const Limit kNearLimits[] = {
    {"launch_posted", kTime, 0, 0, nullptr, 100 * kNs},
    {"launch_sync", kTime, 1, 0, nullptr, 5000 * kNs},
    {"launch_sync_idle", kTime, 1, kBlocking, "futex", 5000 * kNs},
    {"read_8", kTime, 0, 0, nullptr, 5000 * kNs},
    {"read_8_idle", kTime, 1, kBlocking, "futex", 5000 * kNs},
    {"launch64_read", kTime, 1.1},
    {"launch64_small_read", kTime, 1.1},
    {"up_256m_pageable", kTime, 0, 1 / 0.5, "memcpy_256m"},
    {"up_256m_pinned", kTime, 0, 1 / 0.8, "memcpy_256m"},
    {"down_256m_pageable", kTime, 0, 1 / 0.5, "memcpy_256m"},
    {"down_256m_pinned", kTime, 0, 1 / 0.8, "memcpy_256m"},
};

const Limit kLimits[] = {
    // line, quantity, x direct, x raw, raw, fixed
    {"local_device", kTime, 0, 0, nullptr, 50 * kNs},
    {"local_attribute", kTime, 0, 0, nullptr, 50 * kNs},
    {"local_stream_query", kTime, 0, 0, nullptr, 50 * kNs},
    {"launch_posted", kTime, 0, 0, nullptr, 150 * kNs},
    {"event_cycle", kTime, 0, 0, nullptr, 300 * kNs},
    {"malloc_free", kTime, 0, 0, nullptr, 500 * kNs},
    {"mem_info", kTime, 1, kBlocking, "ping_pong"},
    {"launch_sync", kTime, 1, kBlocking, "ping_pong"},
    {"launch_sync", kTime, 1, kSpinning, "ping_pong_spinning"},
    {"launch_sync_idle", kTime, 1, kBlocking, "ping_pong"},
    {"read_8", kTime, 1, kBlocking, "ping_pong"},
    {"read_8", kTime, 1, kSpinning, "ping_pong_spinning"},
    {"read_8_idle", kTime, 1, kBlocking, "ping_pong"},
    {"launch64_read", kTime, 1, 1.2, "ping_pong"},
    {"launch64_small_read", kTime, 1, 1.2, "ping_pong"},
    {"up_256k_pageable", kTime, 0, kCopy, "up_256k"},
    {"up_256k_pinned", kTime, 0, kCopy, "up_256k"},
    {"up_1m_pageable", kTime, 0, kCopy, "up_1m"},
    {"up_1m_pinned", kTime, 0, kCopy, "up_1m"},
    {"down_256k_pageable", kTime, 0, kCopy, "down_256k"},
    {"down_256k_pinned", kTime, 0, kCopy, "down_256k"},
    {"down_1m_pageable", kTime, 0, kCopy, "down_1m"},
    {"down_1m_pinned", kTime, 0, kCopy, "down_1m"},
    {"up_256m_pageable", kTime, 0, kStreaming, "up_256m"},
    {"up_256m_pinned", kTime, 0, kStreaming, "up_256m"},
    {"down_256m_pageable", kTime, 0, kStreaming, "down_256m"},
    {"down_256m_pinned", kTime, 0, kStreaming, "down_256m"},
    {"graph_step", kTime, 1, kBlocking, "ping_pong"},
    {"graph_working", kTime, 1.02},
    {"many_waits", kProcessorTime, 2},

    // What is answered here or posted makes no round trip; what has to wait makes one.
    {"local_device", kTrips},
    {"local_attribute", kTrips},
    {"local_stream_query", kTrips},
    {"launch_posted", kTrips},
    {"launch_posted_asleep", kTrips},
    {"event_cycle", kTrips},
    {"malloc_free", kTrips},
    {"upload_sync", kTrips},
    {"mem_info", kTrips, 0, 0, nullptr, 1},
    {"launch_sync", kTrips, 0, 0, nullptr, 1},
    {"launch_sync_idle", kTrips, 0, 0, nullptr, 1},
    {"read_8", kTrips, 0, 0, nullptr, 1},
    {"read_8_idle", kTrips, 0, 0, nullptr, 1},
    {"launch64_read", kTrips, 0, 0, nullptr, 1},
    {"launch64_small_read", kTrips, 0, 0, nullptr, 1},
    {"up_256k_pageable", kTrips, 0, 0, nullptr, 1},
    {"up_256k_pinned", kTrips, 0, 0, nullptr, 1},
    {"up_1m_pageable", kTrips, 0, 0, nullptr, 1},
    {"up_1m_pinned", kTrips, 0, 0, nullptr, 1},
    {"down_256k_pageable", kTrips, 0, 0, nullptr, 1},
    {"down_256k_pinned", kTrips, 0, 0, nullptr, 1},
    {"down_1m_pageable", kTrips, 0, 0, nullptr, 1},
    {"down_1m_pinned", kTrips, 0, 0, nullptr, 1},
    {"up_256m_pageable", kTrips, 0, 0, nullptr, 1},
    {"up_256m_pinned", kTrips, 0, 0, nullptr, 1},
    {"down_256m_pageable", kTrips, 0, 0, nullptr, 1},
    {"down_256m_pinned", kTrips, 0, 0, nullptr, 1},
    {"step", kTrips, 0, 0, nullptr, 1},
    {"graph_step", kTrips, 0, 0, nullptr, 1},
    {"graph", kTrips, 0, 0, nullptr, 1},
    {"graph_posted", kTrips},
    {"graph_working", kTrips, 0, 0, nullptr, 1},
    {"working_kernels", kTrips, 0, 0, nullptr, 1},
    {"many_waits", kTrips, 0, 0, nullptr, 1},
};

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

const Baseline& findBaseline(std::string_view key) {
  for (const Baseline& baseline : kBaselines) {
    if (baseline.key == key) return baseline;
  }
  std::abort();  // a row of kLimits names one that does not exist
}

std::vector<Limit> limitsOf(std::string_view line, bool near) {
  std::vector<Limit> found;
  const auto wants = [&](const Limit& limit) { return limit.line == line; };
  if (near) std::ranges::copy_if(kNearLimits, std::back_inserter(found), wants);
  for (const Limit& limit : kLimits)
    if (wants(limit) && (!near || limit.quantity == Quantity::kRoundTrips)) found.push_back(limit);
  return found;
}

std::string Limit::text() const {
  if (quantity == Quantity::kRoundTrips) return plain(fixed) + (fixed == 1 ? " round trip" : " round trips");
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
  if (direct != 0) add(direct == 1 ? "direct" : plain(direct) + " x direct");
  if (raw != 0) add(plain(raw) + " x " + findBaseline(baseline).what);
  if (fixed != 0) add(timeText(fixed));
  return (quantity == Quantity::kProcessorTime ? "processor time " : "") + text;
}

std::string timeText(double seconds) {
  const auto [scale, unit] = seconds < 1e-6   ? std::pair(1e9, "ns")
                             : seconds < 1e-3 ? std::pair(1e6, "us")
                             : seconds < 1    ? std::pair(1e3, "ms")
                                              : std::pair(1.0, "s");
  char text[32];
  const double value = seconds * scale;
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s", value, unit);
  return text;
}

}  // namespace hipr::bench
