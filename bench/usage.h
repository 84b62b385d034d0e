// What a group of processes has used: processor time, and how often one of their threads went to sleep and had to be
// woken. Taken before and after some work, the difference is what that work cost.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

namespace hipr::bench {

struct Spent {
  double processor = 0;  // seconds, user and system
  double wakeUps = 0;    // voluntary context switches of all threads
};

class Usage {
 public:
  // Of these processes and all their descendants, now.
  static Usage of(const std::vector<pid_t>& roots);

  // What was used since `before`, by the processes that live at both times.
  Spent since(const Usage& before) const;

 private:
  std::map<pid_t, Spent> processes_;
};

}  // namespace hipr::bench
