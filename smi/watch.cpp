#include "smi/watch.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <optional>
#include <sstream>

#include "platform/clock.h"
#include "smi/json.h"
#include "smi/outcome.h"
#include "smi/screen.h"

namespace hipr::smi {
namespace {

constexpr std::chrono::milliseconds kGlance(20);

std::string clockText() {
  const std::tm local = platform::localTime(std::time(nullptr));
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

Lines compose(const Options& options, const Reports& reports) {
  const ViewOptions view{options.gpu, reports.size() > 1};
  Lines lines = {"smi-remote " HIPR_VERSION "   " + clockText()};
  for (const HostReport& report : reports) {
    if (!report.status.ok()) lines.push_back(failureLine(report));
  }
  lines.emplace_back();
  for (std::string& line : metricsView(reports, view)) lines.push_back(std::move(line));
  lines.emplace_back();
  for (std::string& line : processesView(reports, view)) lines.push_back(std::move(line));
  return lines;
}

// Reads in the background, so that keys work while a machine takes its time to answer.
int watchOnScreen(const Options& options, Fleet& fleet, std::chrono::milliseconds interval) {
  Reports reports;
  Lines lines;
  std::optional<Screen> screen(std::in_place);
  const auto wait = [&](std::chrono::milliseconds time) {  // false: leave
    Screen::Event event = screen->wait(time);
    while (event == Screen::Event::Resized) {
      screen->draw(lines);
      event = screen->wait(time);
    }
    return event == Screen::Event::Time;
  };
  for (unsigned shown = 1;; ++shown) {
    std::future<Reports> reading = std::async(std::launch::async, [&fleet] { return fleet.read(); });
    while (reading.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      if (wait(kGlance)) continue;
      screen.reset();
      std::_Exit(reports.empty() ? kExitNoneAnswered : exitCode(options, reports));  // without waiting for the answer
    }
    reports = reading.get();
    lines = compose(options, reports);
    lines.front() += "   q: leave";
    screen->draw(lines);
    if ((options.count && shown >= options.count) || !wait(interval)) break;
  }
  screen.reset();
  printFailures(reports);
  return exitCode(options, reports);
}

Lines render(const Options& options, const Reports& reports, bool first) {
  if (options.format == Format::Table) {
    Lines lines = compose(options, reports);
    lines.emplace_back();
    return lines;
  }
  const Json document = toJson(Command::Watch, reports, options.gpu);
  if (options.format == Format::Json) return {document.dump(-1, ' ', false, Json::error_handler_t::replace)};
  Lines lines;
  std::istringstream csv(toCsv(document));
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  if (!first && !lines.empty()) lines.erase(lines.begin());  // the names of the fields come once
  return lines;
}

// For a file or another program: whole tables, or one line of JSON for each update.
int watchPlainly(const Options& options, Fleet& fleet, std::chrono::milliseconds interval) {
  Reports reports;
  for (unsigned shown = 1;; ++shown) {
    reports = fleet.read();
    for (const std::string& line : render(options, reports, shown == 1)) std::puts(line.c_str());
    std::fflush(stdout);
    if (options.count && shown >= options.count) break;
    if (!waitPlainly(interval)) break;
  }
  printFailures(reports);
  return exitCode(options, reports);
}

}  // namespace

int watch(const Options& options, Fleet& fleet) {
  const std::chrono::milliseconds interval(static_cast<std::int64_t>(options.intervalSeconds * 1000));
  if (options.format == Format::Table && Screen::possible()) return watchOnScreen(options, fleet, interval);
  return watchPlainly(options, fleet, interval);
}

}  // namespace hipr::smi
