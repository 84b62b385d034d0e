// NoCancel: while one exists, pthread_cancel of this thread waits. HIP calls of a program wait inside ours, holding
// what others need: a thread that vanished there would take the connection of the whole process along.
#pragma once

namespace hipr {

class NoCancel {
 public:
  NoCancel();
  ~NoCancel();
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

 private:
  int before_;  // what the thread had
};

}  // namespace hipr
