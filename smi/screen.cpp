#include "smi/screen.h"

#include <algorithm>

namespace hipr::smi {

bool Screen::possible() {
  return platform::atTerminal();
}

Screen::Screen() {
  platform::catchStopping();
  platform::writeTerminal("\x1b[?1049h\x1b[?25l\x1b[?7l");  // the other screen, no cursor, no wrapping
}

Screen::~Screen() {
  platform::writeTerminal("\x1b[?7h\x1b[?25h\x1b[?1049l");
}

void Screen::draw(const std::vector<std::string>& lines) {
  const platform::TerminalSize size = platform::terminalSize();
  const std::size_t rows = std::min(lines.size(), size.rows);
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < rows; ++i) {
    const bool more = i + 1 == rows && lines.size() > rows;
    text +=
        (more ? "... " + std::to_string(lines.size() - rows + 1) + " more lines" : lines[i]).substr(0, size.columns);
    text += "\x1b[K";
    if (i + 1 < size.rows) text += "\r\n";
  }
  platform::writeTerminal(text + "\x1b[J");
}

Screen::Event Screen::wait(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    char key = 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    switch (platform::waitTerminal(std::max(left, std::chrono::milliseconds(0)), &key)) {
      case platform::Wait::kTime:
        return Event::Time;
      case platform::Wait::kResized:
        return Event::Resized;
      case platform::Wait::kStop:
        return Event::Quit;
      case platform::Wait::kKey:
        if (key == 'q' || key == 'Q') return Event::Quit;
    }
  }
}

bool waitPlainly(std::chrono::milliseconds time) {
  platform::catchStopping();
  return platform::waitTerminal(time, nullptr) != platform::Wait::kStop;
}

}  // namespace hipr::smi
