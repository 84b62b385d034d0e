// The commands of hip-remote. Each gets the arguments after its name and returns the exit code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.h"

namespace hipr::cli {

using Arguments = std::span<char* const>;

int run(Arguments arguments);       // start a program with its GPU elsewhere
int trace(Arguments arguments);     // the same, and a picture of what it did
int info(Arguments arguments);      // what GPUs does the worker have
int smi(Arguments arguments);       // AMD's amd-smi on the worker's GPUs
int examine(Arguments arguments);   // doctor: what a program would meet, and what to do about it
int pair(Arguments arguments);      // keep a worker's token for this user
int rocminfo(Arguments arguments);  // what ROCm's command of that name would say
int agentEnumerator(Arguments arguments);
int env(Arguments arguments);  // print the variables `run` would set

// Options shared by the commands.
struct Target {
  std::string worker;    // --worker HOST[:PORT]; empty: as the environment says
  bool plain = false;    // --plain: nothing but our libamdhip64
  bool softgpu = false;  // --softgpu: no worker, execute on this CPU
};
std::vector<Option> targetOptions(Target& out);

// --help, for a command's table of options: prints what hip-remote can do, and is all that this process does.
Option helpOption();
void printHelp();

// Takes a command's options, and --help, off the front of its arguments. False after an error has been printed.
bool takeInFront(const char* command, std::vector<Option> options, Arguments& arguments);

// Likewise, for a command that has options only.
bool takeNothingElse(const char* command, std::vector<Option> options, Arguments arguments);

// The folder with our HIP library for this target, found relative to this executable; empty when it is not there.
std::string libraryFolder(const Target& target);

// Sets TF_WORKER_HOST and puts our libraries in front. False after an error has been printed.
bool applyTarget(const Target& target);

// What `hip-remote pair` has kept for the worker, unless the environment has something else.
void useKeptToken();

}  // namespace hipr::cli
