// The terminal as a screen that is drawn over and over, and restored however the program ends.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "platform/terminal.h"

namespace hipr::smi {

class Screen {
 public:
  static bool possible();  // stdin and stdout are a terminal that can do it

  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void draw(const std::vector<std::string>& lines);  // what does not fit is cut

  // Waits; redraws are due when it says so.
  enum class Event { Time, Resized, Quit };
  Event wait(std::chrono::milliseconds time);

 private:
  platform::RawKeys keys_;
};

// Without a terminal: a request to stop (Control-C, SIGTERM) ends the waiting, so that a watch ends between two tables.
// False then.
bool waitPlainly(std::chrono::milliseconds time);

}  // namespace hipr::smi
