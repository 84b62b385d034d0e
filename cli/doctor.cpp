// hip-remote doctor: what a program would meet, step by step, and what to do where it would fail.
#include <cstdio>
#include <cstring>

#include "base/env.h"
#include "cli/commands.h"
#include "cli/doctor/checks.h"

namespace hipr::cli {
namespace {

struct Options {
  bool json = false;
  bool probe = false;  // be the program whose first calls are watched (cli/doctor/probe.cpp)
};

// Takes the options of this command, and leaves those that it shares with the others.
bool takeOptions(Arguments arguments, Options& out, doctor::Patient& patient, std::vector<char*>& rest) {
  std::size_t i = 0;
  for (; i < arguments.size() && std::strcmp(arguments[i], "--") != 0; ++i) {
    if (!std::strcmp(arguments[i], "--json")) {
      out.json = true;
    } else if (!std::strcmp(arguments[i], "--probe")) {
      out.probe = true;
    } else if (!std::strcmp(arguments[i], "--timeout")) {
      const auto seconds = ++i < arguments.size() ? parseNumber(arguments[i], 1, 3600) : std::nullopt;
      if (!seconds) {
        std::fputs("hip-remote doctor: --timeout takes a number of seconds\n", stderr);
        return false;
      }
      patient.timeout = static_cast<int>(*seconds);
    } else {
      rest.push_back(arguments[i]);
    }
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  return true;
}

void examine(doctor::Patient& patient, doctor::Report& report) {
  if (!checkInstallation(patient, report)) return;
  const bool programKnown = patient.command.empty() || checkProgram(patient, report);
  applyTarget(patient.target);
  const bool served = (patient.target.softgpu || checkWorker(patient, report)) && checkSession(patient, report);
  if (served && programKnown)
    checkArchitectures(patient, report);
  else
    report.skipped("architecture", "what is above has to work first");
  checkCompilers(report);
}

}  // namespace

int examine(Arguments arguments) {
  doctor::Patient patient;
  Options options;
  std::vector<char*> rest;
  if (!takeOptions(arguments, options, patient, rest)) return 2;
  Arguments others(rest);
  if (!takeTarget(others, patient.target)) return 2;
  if (options.probe) return doctor::probe(patient.target);
  patient.command.assign(others.begin(), others.end());
  doctor::Report report(options.json);
  examine(patient, report);
  report.finish();
  return report.healthy() ? 0 : 1;
}

}  // namespace hipr::cli
