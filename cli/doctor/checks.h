// The steps of `hip-remote doctor`, in the order in which a program would meet them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/doctor/loader.h"
#include "cli/doctor/report.h"

namespace hipr::doctor {

struct Patient {
  cli::Target target;
  std::vector<std::string> command;  // the program and its arguments; may be empty
  int timeout = 5;                   // seconds for each exchange with the worker

  // Learned on the way.
  std::string folder;             // of our libraries
  std::vector<std::string> gpus;  // architectures of the worker's GPUs
  Loaded loaded;                  // what the program brings along
};

// Each returns whether the steps that build on it make sense.
bool checkInstallation(Patient& patient, Report& report);  // our own files, addresses
bool checkProgram(Patient& patient, Report& report);       // which libamdhip64 it will load
bool checkWorker(Patient& patient, Report& report);        // name, connection, greeting, token, version
bool checkSession(Patient& patient, Report& report);       // a first HIP call, and how fast the line is
void checkArchitectures(const Patient& patient, Report& report);
void checkCompilers(Report& report);  // for programs that compile kernels while they run

// A first call and some measurements, made by a process of its own (`doctor --probe`): what our library says on stderr
// when it fails is the best explanation there is.
struct ProbeAnswer {
  nlohmann::json measured;  // null when the probe did not get that far
  std::string complaint;    // what the library said instead
  std::string transport;    // what its bytes travelled in: tcp, tls or shm; empty where that is not known
};
ProbeAnswer askProbe(const cli::Target& target);
std::string speedOf(const nlohmann::json& measured);  // in words; empty when it was not measured
int probe(const cli::Target& target);                 // the other end of it

// The libraries in the packages of a Python; none when it is another program.
const std::vector<std::filesystem::path>& librariesInPackages(const std::filesystem::path& interpreter);

// What a program carries along that keeps ours from being loaded, for `hip-remote run` too.
struct OwnCopy {
  std::filesystem::path file;  // the library that would be loaded
  std::string name;            // under which it is asked for
  std::string how;             // "by the RPATH of ..."
  std::filesystem::path cure;  // ours, to be preloaded
};
std::vector<OwnCopy> copiesCarriedBy(const std::filesystem::path& program, const LoaderSettings& settings,
                                     const std::filesystem::path& folder);

}  // namespace hipr::doctor
