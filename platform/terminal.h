// The terminal as keys and a size. What is drawn are escape sequences, which every system's terminal understands.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace hipr::platform {

// A person sits at both ends: input and output are a terminal that knows escape sequences.
bool atTerminal();

struct TerminalSize {
  std::size_t rows = 24, columns = 80;
};
TerminalSize terminalSize();

void writeTerminal(std::string_view text);  // all of it, past stdio

// How many fit into a line of the terminal that stderr is; 0: it is none, or not that of a person who sees us.
std::size_t errorColumns();
void writeError(std::string_view text);

// While one exists, keys come at once and are not shown.
class RawKeys {
 public:
  RawKeys();
  ~RawKeys();
  RawKeys(const RawKeys&) = delete;
  RawKeys& operator=(const RawKeys&) = delete;

 private:
  alignas(8) unsigned char before_[128];  // the settings to go back to
};

// From here on a request to stop (Control-C, a signal, a closed window) does not end the process but is seen here.
void catchStopping();

enum class Wait { kTime, kKey, kResized, kStop };
// Waits for the first of them. `key` gets the key; null: keys are not looked at.
Wait waitTerminal(std::chrono::milliseconds time, char* key);

}  // namespace hipr::platform
