// Status: what went wrong, in words a user can act on. A value type; when ok it is one pointer to nothing, because
// every message that is read or sent comes with several.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace hipr {

// A new code is added only when some caller reacts to it differently.
enum class Code {
  kOk,
  kInvalid,      // malformed input: bad code object, bad option, bad bytes from the peer
  kNotFound,     // a file, symbol or device that does not exist
  kUnsupported,  // well formed, but not something this build can do
  kUnavailable,  // the peer cannot be reached, or does not want us
  kBusy,         // the peer has no room for us now
  kCut,          // it could be reached, and then the connection broke
  kExhausted,    // out of memory or another bounded resource
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message)
      : failure_(code == Code::kOk ? nullptr : std::make_shared<const Failure>(code, std::move(message))) {}

  static Status invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }
  static Status notFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
  static Status unsupported(std::string message) { return {Code::kUnsupported, std::move(message)}; }
  static Status unavailable(std::string message) { return {Code::kUnavailable, std::move(message)}; }
  static Status cut(std::string message) { return {Code::kCut, std::move(message)}; }
  static Status exhausted(std::string message) { return {Code::kExhausted, std::move(message)}; }

  bool ok() const { return !failure_; }
  Code code() const { return failure_ ? failure_->code : Code::kOk; }
  bool away() const { return code() == Code::kUnavailable || code() == Code::kCut; }  // the peer
  const std::string& message() const;                                                 // empty when ok

  // The same failure seen from one level up: "reading foo.co: truncated ELF header".
  Status within(const std::string& what) const;

 private:
  struct Failure {
    Failure(Code c, std::string m) : code(c), message(std::move(m)) {}
    Code code;
    std::string message;
  };
  std::shared_ptr<const Failure> failure_;
};

}  // namespace hipr
