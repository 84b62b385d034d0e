// Events.
#include <array>
#include <utility>

#include "tests/e2e/rows/book.h"

namespace hipr::rows {

namespace {

// While one of these lives, no destroyed event is left over for the next one to take.
class NoSpares {
 public:
  explicit NoSpares(Scene& s) : scene_(s) {
    for (std::size_t i = 0; i < events_.size(); ++i)
      HIPR_OK(s, hipEventCreateWithFlags(&events_[i], i % 2 ? hipEventDisableTiming : hipEventDefault));
  }
  ~NoSpares() { leave(); }
  NoSpares(const NoSpares&) = delete;
  NoSpares& operator=(const NoSpares&) = delete;
  void leave() {  // and of these as many as are kept
    for (hipEvent_t& event : events_)
      if (hipEvent_t own = std::exchange(event, nullptr)) HIPR_OK(scene_, hipEventDestroy(own));
  }

 private:
  Scene& scene_;
  std::array<hipEvent_t, 128> events_{};
};

}  // namespace

void addEventRows(Book& book) {
  ROW(hipEventCreate)
      .standard([](Scene& s, auto f) {
        const NoSpares none(s);
        hipEvent_t event = nullptr;
        s.call(f, &event);
        HIPR_OK(s, hipEventDestroy(event));
      })
      .local("where one of its kind was destroyed", [](Scene& s, auto f) {
        const NoSpares none(s);
        hipEvent_t event = nullptr;
        HIPR_OK(s, hipEventCreate(&event));
        HIPR_OK(s, hipEventDestroy(event));
        s.call(f, &event);
        HIPR_OK(s, hipEventDestroy(event));
      });
  ROW(hipEventCreateWithFlags)
      .standard([](Scene& s, auto f) {
        const NoSpares none(s);
        hipEvent_t event = nullptr;
        s.call(f, &event, unsigned{hipEventDisableTiming});
        HIPR_OK(s, hipEventDestroy(event));
      })
      .standard("where one of another kind was destroyed", [](Scene& s, auto f) {
        const NoSpares none(s);
        hipEvent_t event = nullptr;
        HIPR_OK(s, hipEventCreate(&event));
        HIPR_OK(s, hipEventDestroy(event));
        s.call(f, &event, unsigned{hipEventDisableTiming});
        HIPR_OK(s, hipEventDestroy(event));
      });
  ROW(hipEventDestroy)
      .standard("where enough are left over",
                [](Scene& s, auto f) {
                  NoSpares many(s);
                  hipEvent_t event = nullptr;
                  HIPR_OK(s, hipEventCreate(&event));
                  many.leave();
                  s.call(f, event);
                })
      .local("left over for the next",
             [](Scene& s, auto f) {
               const NoSpares none(s);
               hipEvent_t event = nullptr;
               HIPR_OK(s, hipEventCreate(&event));
               s.call(f, event);
             })
      .local("recorded behind a kernel", [](Scene& s, auto f) {
        const NoSpares none(s);
        hipEvent_t event = nullptr;
        HIPR_OK(s, hipEventCreate(&event));
        const auto work = [&] {
          s.launch();
          HIPR_OK(s, hipEventRecord(event, s.stream));
        };
        s.behind(work).call(f, event);
      });
  ROW(hipEventElapsedTime).standard([](Scene& s, auto f) {
    float milliseconds = 0;
    s.call(f, &milliseconds, s.first, s.last);
  });
  ROW(hipEventQuery)
      .standard("behind a free, which would have waited",
                [](Scene& s, auto f) {
                  void* block = nullptr;
                  HIPR_OK(s, hipMalloc(&block, 256));
                  const auto work = [&] {
                    s.launch();
                    HIPR_OK(s, hipEventRecord(s.last, s.stream));
                    HIPR_OK(s, hipFree(block));
                  };
                  s.behind(work).call(f, s.last);
                })
      .local("over", [](Scene& s, auto f) { s.call(f, s.last); })
      .post("not ready: the worker will say when",
            [](Scene& s, auto f) {
              const auto work = [&] {
                s.launch();
                HIPR_OK(s, hipEventRecord(s.last, s.stream));
              };
              s.behind(work).expect(hipErrorNotReady).call(f, s.last);
            })
      .local("not ready, asked again", [](Scene& s, auto f) {
        const auto work = [&] {
          s.launch();
          HIPR_OK(s, hipEventRecord(s.last, s.stream));
          static_cast<void>(f(s.last));
        };
        s.behind(work).expect(hipErrorNotReady).call(f, s.last);
      });
  ROW(hipEventRecord).standard([](Scene& s, auto f) { s.call(f, s.last, s.stream); });
  ROW(hipEventRecordWithFlags).standard([](Scene& s, auto f) { s.call(f, s.last, s.stream, 0u); });
  ROW(hipEventSynchronize)
      .standard("behind a kernel",
                [](Scene& s, auto f) {
                  const auto work = [&] {
                    s.launch();
                    HIPR_OK(s, hipEventRecord(s.last, s.stream));
                  };
                  s.behind(work).call(f, s.last);
                })
      .local("over", [](Scene& s, auto f) { s.call(f, s.last); });
}

}  // namespace hipr::rows
