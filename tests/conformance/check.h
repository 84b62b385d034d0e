// A test harness in one header. TEST(name) registers a test, EXPECT* record failures, REQUIRE* also leave the test,
// result() adds data to the test's checksum. The output is made for diffing two runs of the same program:
//   ok NAME | FAIL NAME: file:line what | skip NAME: why     and     result NAME checksum     then "N passed, N
//   failed".
// Arguments are substrings of the names to run; -l lists the names. EXPECT may be used from any thread.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Register {
  Register(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

struct Current {
  std::mutex lock;
  const char* name = "";
  int failures = 0;
  bool hasResult = false;
  std::uint64_t checksum = 0;
};

inline Current& current() {
  static Current c;
  return c;
}

// Called before each test, when set.
inline void (*beforeEach)() = nullptr;

struct Stop {};  // thrown to leave a test after a failed REQUIRE
struct Skip {
  std::string why;
};

inline void fail(const char* file, int line, const std::string& what) {
  constexpr int kShown = 8;  // one wrong array would otherwise fill the terminal
  Current& c = current();
  std::lock_guard<std::mutex> hold(c.lock);
  const char* base = std::strrchr(file, '/');
  if (++c.failures <= kShown) std::printf("FAIL %s: %s:%d %s\n", c.name, base ? base + 1 : file, line, what.c_str());
}

inline void result(const void* data, std::size_t bytes) {  // FNV-1a
  Current& c = current();
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) c.checksum = (c.checksum ^ p[i]) * 0x100000001b3u;
  c.hasResult = true;
}
template <class T>
void result(const std::vector<T>& v) {
  static_assert(std::is_trivially_copyable<T>::value, "only plain data has a checksum");
  result(v.data(), v.size() * sizeof(T));
}
template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value>>
void result(T v) {
  result(&v, sizeof v);
}
inline void result(const std::string& s) {
  result(s.data(), s.size());
}

template <class T>
std::string show(const T& v) {
  std::ostringstream s;
  s.precision(17);
  if constexpr (std::is_enum<T>::value)
    s << static_cast<long long>(v);
  else if constexpr (sizeof(T) == 1 && std::is_integral<T>::value)
    s << static_cast<int>(v);
  else
    s << v;
  return s.str();
}

template <class A, class B>
bool equal(const A& a, const B& b, const char* text, const char* file, int line, bool wanted = true) {
  if ((a == b) == wanted) return true;
  fail(file, line, std::string(text) + ": " + show(a) + (wanted ? " is not " : " is ") + show(b));
  return false;
}

inline bool near(double a, double b, double tolerance, const char* text, const char* file, int line) {
  if (a == b || (a != a && b != b)) return true;
  const double d = a > b ? a - b : b - a;
  if (d <= tolerance) return true;
  fail(file, line, std::string(text) + ": " + show(a) + " and " + show(b) + " differ by " + show(d));
  return false;
}

template <class T>
bool equalVectors(const std::vector<T>& got, const std::vector<T>& want, const char* text, const char* file, int line) {
  if (!equal(got.size(), want.size(), text, file, line)) return false;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
      fail(file, line, std::string(text) + "[" + show(i) + "]: got " + show(got[i]) + ", want " + show(want[i]));
      return false;
    }
  return true;
}

inline bool selected(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strstr(name, argv[i])) return true;
  return argc < 2;
}

inline int runAll(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a crash must not swallow the lines before it
  int passed = 0, failed = 0, skipped = 0;
  for (const Test& t : tests()) {
    if (argc == 2 && std::strcmp(argv[1], "-l") == 0) {
      std::printf("%s\n", t.name);
      continue;
    }
    if (!selected(t.name, argc, argv)) continue;
    Current& c = current();
    c.name = t.name;
    c.failures = 0;
    c.hasResult = false;
    c.checksum = 0xcbf29ce484222325u;
    std::string why;
    try {
      if (beforeEach) beforeEach();
      t.run();
    } catch (const Stop&) {
    } catch (const Skip& s) {
      why = s.why;
    }
    if (c.failures > 0) {
      ++failed;
      continue;
    }
    if (!why.empty()) {
      ++skipped;
      std::printf("skip %s: %s\n", t.name, why.c_str());
      continue;
    }
    ++passed;
    std::printf("ok %s\n", t.name);
    if (c.hasResult) std::printf("result %s %016llx\n", t.name, static_cast<unsigned long long>(c.checksum));
  }
  if (argc == 2 && std::strcmp(argv[1], "-l") == 0) return 0;
  std::printf("%d passed, %d failed", passed, failed);
  std::printf(skipped ? ", %d skipped\n" : "\n", skipped);
  if (passed + failed + skipped == 0) {
    std::printf("no test has a name like that; -l lists them\n");
    return 2;
  }
  return failed ? 1 : 0;
}

}  // namespace check

#define TEST(NAME)                                                  \
  static void test_##NAME();                                        \
  static const check::Register register_##NAME(#NAME, test_##NAME); \
  static void test_##NAME()

#define EXPECT(C) ((C) ? true : (check::fail(__FILE__, __LINE__, #C), false))
#define EXPECT_EQ(A, B) check::equal((A), (B), #A, __FILE__, __LINE__)
#define EXPECT_NE(A, B) check::equal((A), (B), #A, __FILE__, __LINE__, false)
#define EXPECT_NEAR(A, B, T) check::near((A), (B), (T), #A, __FILE__, __LINE__)
#define EXPECT_VEC(GOT, WANT) check::equalVectors((GOT), (WANT), #GOT, __FILE__, __LINE__)
#define REQUIRE(C)                       \
  do {                                   \
    if (!EXPECT(C)) throw check::Stop{}; \
  } while (0)
#define SKIP(WHY)     \
  throw check::Skip { \
    WHY               \
  }

#ifndef CHECK_NO_MAIN
int main(int argc, char** argv) {
  return check::runAll(argc, argv);
}
#endif
