// What `hip-remote doctor` found out: one finding per step, each with what is wrong and the command that mends it.
#pragma once

#include <string>
#include <vector>

namespace hipr::doctor {

enum class State {
  kOk,
  kNote,     // works, but there is something to know
  kProblem,  // a program would fail here
  kSkipped,  // could not be looked at, because of an earlier problem
};

struct Finding {
  std::string step;  // "worker"
  State state = State::kOk;
  std::string cause;   // one word for programs that read --json; empty when all is well
  std::string text;    // what was found
  std::string remedy;  // what to do about it
};

class Report {
 public:
  explicit Report(bool json) : json_(json) {}

  void ok(std::string step, std::string text);
  void note(std::string step, std::string cause, std::string text, std::string remedy);
  void problem(std::string step, std::string cause, std::string text, std::string remedy);
  void skipped(std::string step, std::string text);

  bool healthy() const;
  void finish() const;  // the verdict; with --json everything

 private:
  void add(Finding finding);  // and prints it, so that a slow step does not hide the ones before it

  const bool json_;
  std::vector<Finding> findings_;
};

}  // namespace hipr::doctor
