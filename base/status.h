// Status: what went wrong, in words a user can act on. A value type; cheap when ok.
#pragma once

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
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }
  static Status notFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
  static Status unsupported(std::string message) { return {Code::kUnsupported, std::move(message)}; }
  static Status unavailable(std::string message) { return {Code::kUnavailable, std::move(message)}; }
  static Status cut(std::string message) { return {Code::kCut, std::move(message)}; }
  static Status exhausted(std::string message) { return {Code::kExhausted, std::move(message)}; }

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  bool away() const { return code_ == Code::kUnavailable || code_ == Code::kCut; }  // the peer
  const std::string& message() const { return message_; }

  // The same failure seen from one level up: "reading foo.co: truncated ELF header".
  Status within(const std::string& what) const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

}  // namespace hipr
