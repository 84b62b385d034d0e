#include "platform/caller.h"

namespace hipr::platform {

std::string callingModule() {
  return "";  // not looked for here
}

}  // namespace hipr::platform
