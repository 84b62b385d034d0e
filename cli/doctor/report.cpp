#include "cli/doctor/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/version.h"

namespace hipr::doctor {
namespace {

struct Word {
  const char* shown;
  const char* name;
};
constexpr Word wordFor(State state) {
  switch (state) {
    case State::kOk:
      return {"ok", "ok"};
    case State::kNote:
      return {"note", "note"};
    case State::kProblem:
      return {"PROBLEM", "problem"};
    default:
      return {"-", "skipped"};
  }
}

}  // namespace

void Report::ok(std::string step, std::string text) {
  add({std::move(step), State::kOk, "", std::move(text), ""});
}
void Report::note(std::string step, std::string cause, std::string text, std::string remedy) {
  add({std::move(step), State::kNote, std::move(cause), std::move(text), std::move(remedy)});
}
void Report::problem(std::string step, std::string cause, std::string text, std::string remedy) {
  add({std::move(step), State::kProblem, std::move(cause), std::move(text), std::move(remedy)});
}
void Report::skipped(std::string step, std::string text) {
  add({std::move(step), State::kSkipped, "", std::move(text), ""});
}

void Report::add(Finding finding) {
  for (std::string* text : {&finding.text, &finding.remedy})  // a worker's own words may be in it
    std::ranges::replace_if(*text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (!json_) {
    std::printf("%-8s %-13s %s\n", wordFor(finding.state).shown, finding.step.c_str(), finding.text.c_str());
    if (!finding.remedy.empty()) std::printf("%22s %s\n", "->", finding.remedy.c_str());
    std::fflush(stdout);
  }
  findings_.push_back(std::move(finding));
}

bool Report::healthy() const {
  return std::ranges::none_of(findings_, [](const Finding& finding) { return finding.state == State::kProblem; });
}

void Report::finish() const {
  if (!json_) {
    const auto problems = std::ranges::count(findings_, State::kProblem, &Finding::state);
    std::printf(problems ? "\n%d problem%s found.\n" : "\nEverything a program needs is there.\n",
                static_cast<int>(problems), problems == 1 ? "" : "s");
    return;
  }
  nlohmann::ordered_json out = {
      {"version", HIP_REMOTE_VERSION}, {"ok", healthy()}, {"findings", nlohmann::json::array()}};
  for (const Finding& finding : findings_) {
    nlohmann::ordered_json entry = {{"step", finding.step}, {"state", wordFor(finding.state).name}};
    if (!finding.cause.empty()) entry["cause"] = finding.cause;
    entry["text"] = finding.text;
    if (!finding.remedy.empty()) entry["remedy"] = finding.remedy;
    out["findings"].push_back(std::move(entry));
  }
  std::puts(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace hipr::doctor
