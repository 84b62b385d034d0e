// hip-remote doctor: what a program would meet, step by step, and what to do where it would fail.
#include "cli/commands.h"
#include "cli/doctor/checks.h"

namespace hipr::cli {
namespace {

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
  bool json = false;
  bool probe = false;  // be the program whose first calls are watched (cli/doctor/probe.cpp)
  std::vector<Option> options = targetOptions(patient.target);
  options.push_back({"json", 0, nullptr, flag(json), nullptr});
  options.push_back({"probe", 0, nullptr, flag(probe), nullptr});
  options.push_back({"timeout", 0, "SECONDS", number(patient.timeout, 1, 3600), nullptr});
  if (!takeInFront("doctor", options, arguments)) return 2;
  if (probe) return doctor::probe(patient.target);
  patient.command.assign(arguments.begin(), arguments.end());
  doctor::Report report(json);
  examine(patient, report);
  report.finish();
  return report.healthy() ? 0 : 1;
}

}  // namespace hipr::cli
