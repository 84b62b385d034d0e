#include "bench/remoting.h"

#include <algorithm>
#include <memory>

#include "bench/raw_memory.h"
#include "bench/raw_socket.h"
#include "bench/timing.h"

namespace hipr::bench {
namespace {

constexpr int kQuickShare = 20, kQuickRepetitions = 3;
constexpr int kMostCounted = 200;  // a counter needs no repetition to be exact

Measured summarize(const std::vector<Sample>& samples) {
  std::vector<double> times, processor, wakeUps;
  for (const Sample& sample : samples) {
    times.push_back(sample.time);
    processor.push_back(sample.spent.processor);
    wakeUps.push_back(sample.spent.wakeUps);
  }
  return {median(times), *std::min_element(times.begin(), times.end()), {median(processor), median(wakeUps)}};
}

double valueOf(Quantity quantity, const Measured& measured) {
  return quantity == Quantity::kTime ? measured.median : measured.spent.processor;
}

Verdict judge(const Limit& limit, const Result& result) {
  if (limit.quantity == Quantity::kRoundTrips) return {limit, result.traffic.roundTrips, limit.fixed};
  const double raw = limit.raw == 0 ? 0 : result.raw.at(limit.baseline).median;
  return {limit, valueOf(limit.quantity, result.remoted), limit.of(valueOf(limit.quantity, result.direct), raw)};
}

std::unique_ptr<Raw> makeRaw(const Baseline& baseline) {
  switch (baseline.kind) {
    case Baseline::Kind::kCopy:
      return std::make_unique<RawCopy>(baseline.up);
    case Baseline::Kind::kFutex:
      return std::make_unique<RawFutex>();
    default:
      return std::make_unique<RawExchange>(baseline.up, baseline.down,
                                           baseline.kind == Baseline::Kind::kSpinningSocket);
  }
}

}  // namespace

std::string Verdict::text() const {
  if (met()) return "met";
  char text[64];
  if (limit.quantity == Quantity::kRoundTrips) {
    std::snprintf(text, sizeof text, "missed by %.3g", value - allowed);
  } else {
    std::snprintf(text, sizeof text, "missed by %.0f %%", (value / allowed - 1) * 100);
  }
  return text;
}

Result measureLine(const Line& line, const Runtime& direct, const Runtime& remote, bool near, bool quick) {
  const int count = quick ? std::max(std::min(line.count, 3), line.count / kQuickShare) : line.count;
  const int repetitions = quick ? kQuickRepetitions : line.repetitions;
  const std::vector<Limit> limits = limitsOf(line.key, near);
  std::map<std::string, std::unique_ptr<Raw>> exchanges;
  for (const Limit& limit : limits) {
    if (limit.raw == 0) continue;
    const Baseline& raw = findBaseline(limit.baseline);
    exchanges[raw.key] = makeRaw(raw);
  }

  Result result;
  result.line = &line;
  {
    LineProcess directly(line, direct), remoted(line, remote);
    std::vector<Sample> directSamples, remotedSamples;
    std::map<std::string, std::vector<Sample>> rawSamples;
    for (int i = -1; i < repetitions; ++i) {  // the first one warms up
      const Sample a = directly.run(count), b = remoted.run(count);
      if (i >= 0) directSamples.push_back(a), remotedSamples.push_back(b);
      for (auto& [key, exchange] : exchanges) {
        const double time = exchange->time(count, line.pause);
        if (i >= 0) rawSamples[key].push_back({time, {}});
      }
    }
    result.direct = summarize(directSamples);
    result.remoted = summarize(remotedSamples);
    for (const auto& [key, samples] : rawSamples) result.raw[key] = summarize(samples);
  }
  result.traffic = countTraffic(line, remote, std::min(count, kMostCounted));
  for (const Limit& limit : limits) result.verdicts.push_back(judge(limit, result));
  return result;
}

}  // namespace hipr::bench
