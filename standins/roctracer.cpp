// libroctracer64: tools ask it for callbacks at HIP's calls and for records of what the GPU did. Kernels it reports,
// with the times our libamdhip64 learns from the worker (hipRegisterTracerCallback). Calls it does not.
#include <cstddef>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

#include "platform/loaded.h"
#include "standins/refused.h"

namespace {

constexpr std::uint32_t kSuccess = 0, kError = 1, kBadParameter = 5;
constexpr std::uint32_t kOperations = 2;  // the domain of what the GPU does
constexpr std::uint32_t kDispatch = 0;
constexpr std::size_t kDefaultPool = 64 << 10;

// activity_record_t.
struct Record {
  std::uint32_t domain, kind, operation;
  std::uint64_t correlation, begin, end;
  int device;
  std::uint64_t queue;
  const char* kernel;
};

// roctracer_properties_t.
struct Properties {
  std::uint32_t mode;
  std::size_t bufferSize;
  void (*allocate)(char**, std::size_t, void*);
  void* allocateArgument;
  void (*callback)(const char* begin, const char* end, void* argument);
  void* callbackArgument;
};

// Where records wait until there are enough of them, or somebody asks.
struct Pool {
  Properties properties;
  std::vector<Record> records;

  void hand() {
    if (records.empty() || !properties.callback) return records.clear();
    const auto* begin = reinterpret_cast<const char*>(records.data());
    properties.callback(begin, begin + records.size() * sizeof(Record), properties.callbackArgument);
    records.clear();
  }
};

struct Tracer {
  std::recursive_mutex mutex;  // a tool's callback may call back
  Pool* defaultPool = nullptr;
  Pool* activity = nullptr;  // where kernels are recorded; null: they are not
};
Tracer& tracer() {
  static Tracer* const instance = new Tracer;
  return *instance;
}

int onActivity(std::uint32_t domain, std::uint32_t operation, void* data) {
  if (domain != kOperations || operation != kDispatch) return -1;
  const std::lock_guard lock(tracer().mutex);
  Pool* pool = tracer().activity;
  if (!pool) return -1;
  if (!data) return 0;
  pool->records.push_back(*static_cast<const Record*>(data));
  const std::size_t size = pool->properties.bufferSize ? pool->properties.bufferSize : kDefaultPool;
  if (pool->records.size() * sizeof(Record) >= size) pool->hand();
  return 0;
}

// Of the libamdhip64 that the process has, whichever version that is.
void* hipSymbol(const char* name) {
  for (const char* library : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
    if (void* found = hipr::platform::symbolInLoaded(library, name)) return found;
  return nullptr;
}

bool listen(bool on) {
  using Register = void (*)(int (*)(std::uint32_t, std::uint32_t, void*));
  const auto function = reinterpret_cast<Register>(hipSymbol("hipRegisterTracerCallback"));
  if (function) function(on ? onActivity : nullptr);
  return function != nullptr;
}

std::uint32_t enableActivity(std::uint32_t domain, Pool* pool) {
  if (domain != kOperations) return kSuccess;  // nothing of the others ever happens here
  {
    const std::lock_guard lock(tracer().mutex);
    tracer().activity = pool ? pool : tracer().defaultPool;
    if (!tracer().activity) return kBadParameter;
  }
  return listen(true) ? kSuccess : kError;
}

std::uint32_t disableActivity(std::uint32_t domain) {
  if (domain != kOperations) return kSuccess;
  listen(false);
  const std::lock_guard lock(tracer().mutex);
  tracer().activity = nullptr;
  return kSuccess;
}

std::uint32_t openPool(const Properties* properties, Pool** out) {
  if (!properties) return kBadParameter;
  const std::lock_guard lock(tracer().mutex);
  if (!out && tracer().defaultPool) return kError;
  auto* pool = new Pool{*properties, {}};
  if (out) *out = pool;
  if (!tracer().defaultPool) tracer().defaultPool = pool;
  return kSuccess;
}

std::uint32_t flush(Pool* pool) {
  const std::lock_guard lock(tracer().mutex);
  if (!pool) pool = tracer().defaultPool;
  if (!pool) return kBadParameter;
  pool->hand();
  return kSuccess;
}

std::uint32_t closePool(Pool* pool) {
  const std::lock_guard lock(tracer().mutex);
  if (!pool) pool = tracer().defaultPool;
  if (!pool) return kBadParameter;
  pool->hand();
  if (tracer().activity == pool) tracer().activity = nullptr;
  if (tracer().defaultPool == pool) tracer().defaultPool = nullptr;
  delete pool;
  return kSuccess;
}

std::uint32_t withoutCalls() {
  static hipr::LogOnce once;
  once.error("roctracer: kernels are reported here, calls are not");
  return kSuccess;
}

}  // namespace

#define ROCTRACER_EXPORT extern "C" HIPR_EXPORTED

ROCTRACER_EXPORT std::uint32_t roctracer_version_major() {
  return 4;
}
ROCTRACER_EXPORT std::uint32_t roctracer_version_minor() {
  return 1;
}
ROCTRACER_EXPORT const char* roctracer_error_string() {
  return "see what hip-remote wrote to stderr";
}
ROCTRACER_EXPORT std::uint32_t roctracer_get_timestamp(std::uint64_t* out) {
  if (!out) return kBadParameter;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  *out = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  return kSuccess;
}
ROCTRACER_EXPORT const char* roctracer_op_string(std::uint32_t domain, std::uint32_t, std::uint32_t kind) {
  using Name = const char* (*)(unsigned);
  const auto name = reinterpret_cast<Name>(hipSymbol("hipGetCmdName"));
  return domain == kOperations && name ? name(kind) : "";
}
ROCTRACER_EXPORT std::uint32_t roctracer_op_code(std::uint32_t, const char*, std::uint32_t*, std::uint32_t*) {
  return kError;
}
ROCTRACER_EXPORT std::uint32_t roctracer_set_properties(std::uint32_t, void*) {
  return kSuccess;
}
ROCTRACER_EXPORT void roctracer_start() {}
ROCTRACER_EXPORT void roctracer_stop() {}
ROCTRACER_EXPORT void roctracer_mark(const char*) {}
ROCTRACER_EXPORT std::uint32_t roctracer_activity_push_external_correlation_id(std::uint64_t) {
  return kSuccess;
}
ROCTRACER_EXPORT std::uint32_t roctracer_activity_pop_external_correlation_id(std::uint64_t* last) {
  if (last) *last = 0;
  return kSuccess;
}

ROCTRACER_EXPORT std::uint32_t roctracer_enable_op_callback(std::uint32_t, std::uint32_t, void*, void*) {
  return withoutCalls();
}
ROCTRACER_EXPORT std::uint32_t roctracer_enable_domain_callback(std::uint32_t, void*, void*) {
  return withoutCalls();
}
ROCTRACER_EXPORT std::uint32_t roctracer_disable_op_callback(std::uint32_t, std::uint32_t) {
  return kSuccess;
}
ROCTRACER_EXPORT std::uint32_t roctracer_disable_domain_callback(std::uint32_t) {
  return kSuccess;
}

ROCTRACER_EXPORT std::uint32_t roctracer_open_pool(const Properties* properties) {
  return openPool(properties, nullptr);
}
ROCTRACER_EXPORT std::uint32_t roctracer_open_pool_expl(const Properties* properties, Pool** pool) {
  return openPool(properties, pool);
}
ROCTRACER_EXPORT std::uint32_t roctracer_close_pool() {
  return closePool(nullptr);
}
ROCTRACER_EXPORT std::uint32_t roctracer_close_pool_expl(Pool* pool) {
  return closePool(pool);
}
ROCTRACER_EXPORT Pool* roctracer_default_pool() {
  return tracer().defaultPool;
}
ROCTRACER_EXPORT Pool* roctracer_default_pool_expl(Pool* pool) {
  const std::lock_guard lock(tracer().mutex);
  Pool* const before = tracer().defaultPool;
  if (pool) tracer().defaultPool = pool;
  return before;
}
ROCTRACER_EXPORT std::uint32_t roctracer_flush_activity() {
  return flush(nullptr);
}
ROCTRACER_EXPORT std::uint32_t roctracer_flush_activity_expl(Pool* pool) {
  return flush(pool);
}
ROCTRACER_EXPORT std::uint32_t roctracer_next_record(const Record* record, const Record** next) {
  *next = record + 1;
  return kSuccess;
}

ROCTRACER_EXPORT std::uint32_t roctracer_enable_op_activity(std::uint32_t domain, std::uint32_t) {
  return enableActivity(domain, nullptr);
}
ROCTRACER_EXPORT std::uint32_t roctracer_enable_op_activity_expl(std::uint32_t domain, std::uint32_t, Pool* pool) {
  return enableActivity(domain, pool);
}
ROCTRACER_EXPORT std::uint32_t roctracer_enable_domain_activity(std::uint32_t domain) {
  return enableActivity(domain, nullptr);
}
ROCTRACER_EXPORT std::uint32_t roctracer_enable_domain_activity_expl(std::uint32_t domain, Pool* pool) {
  return enableActivity(domain, pool);
}
ROCTRACER_EXPORT std::uint32_t roctracer_disable_op_activity(std::uint32_t domain, std::uint32_t) {
  return disableActivity(domain);
}
ROCTRACER_EXPORT std::uint32_t roctracer_disable_domain_activity(std::uint32_t domain) {
  return disableActivity(domain);
}
