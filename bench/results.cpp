// A measured line as text and as JSON.
#include <cstdio>

#include "bench/remoting.h"

namespace hipr::bench {
namespace {

nlohmann::json asJson(const Measured& measured, const Line& line) {
  nlohmann::json out = {
      {"median", measured.median}, {"minimum", measured.minimum}, {"wakeUps", measured.spent.wakeUps}};
  // A caller that is busy between its operations uses the processor for that too.
  if (line.pause == 0) out["processorTime"] = measured.spent.processor;
  return out;
}

const char* nameOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::kTime:
      return "time";
    case Quantity::kProcessorTime:
      return "processorTime";
    case Quantity::kRoundTrips:
      return "roundTrips";
  }
  return "";
}

}  // namespace

void Result::print() const {
  std::printf("\n%s\n", line->what);
  std::printf("  direct   %10s  minimum %10s  wake-ups %6.2f\n", timeText(direct.median).c_str(),
              timeText(direct.minimum).c_str(), direct.spent.wakeUps);
  std::printf("  remoted  %10s  minimum %10s  wake-ups %6.2f  round trips %.2f  messages %.2f  bytes sent %.0f\n",
              timeText(remoted.median).c_str(), timeText(remoted.minimum).c_str(), remoted.spent.wakeUps,
              traffic.roundTrips, traffic.messages, traffic.bytesSent);
  if (line->pause == 0) {
    std::printf("  processor time: direct %s, remoted %s\n", timeText(direct.spent.processor).c_str(),
                timeText(remoted.spent.processor).c_str());
  }
  for (const auto& [key, measured] : raw) {
    std::printf("  %s %s, minimum %s\n", findBaseline(key).what, timeText(measured.median).c_str(),
                timeText(measured.minimum).c_str());
  }
  for (const Verdict& verdict : verdicts) {
    const bool counted = verdict.limit.quantity == Quantity::kRoundTrips;
    std::printf("  <= %s%s: %s\n", verdict.limit.text().c_str(),
                counted ? "" : (" = " + timeText(verdict.allowed)).c_str(), verdict.text().c_str());
  }
  std::fflush(stdout);
}

nlohmann::json Result::json() const {
  nlohmann::json out = {
      {"key", line->key}, {"what", line->what}, {"direct", asJson(direct, *line)}, {"remoted", asJson(remoted, *line)}};
  out["remoted"].update(
      {{"roundTrips", traffic.roundTrips}, {"messages", traffic.messages}, {"bytesSent", traffic.bytesSent}});
  out["raw"] = nlohmann::json::object();
  for (const auto& [key, measured] : raw) {
    out["raw"][key] = {{"what", findBaseline(key).what}, {"median", measured.median}, {"minimum", measured.minimum}};
  }
  out["targets"] = nlohmann::json::array();
  for (const Verdict& verdict : verdicts) {
    out["targets"].push_back({{"quantity", nameOf(verdict.limit.quantity)},
                              {"limit", verdict.limit.text()},
                              {"allowed", verdict.allowed},
                              {"value", verdict.value},
                              {"met", verdict.met()},
                              {"verdict", verdict.text()}});
  }
  return out;
}

}  // namespace hipr::bench
