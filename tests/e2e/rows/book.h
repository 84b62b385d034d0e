// The book: how each row of api/hip.def is called, and what each way costs. An entry is a function that prepares, makes
// one measured call (Scene::call) and cleans up. `_spt` rows and C++ names are called as the row they belong to.
//
//   ROW(hipStreamQuery)
//       .standard("behind a free", [](Scene& s, auto f) { … })   costs what the verb of the row says
//       .local("idle", [](Scene& s, auto f) { … });              costs less: nothing travels
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/e2e/rows/scene.h"

namespace hipr::rows {

enum class Price { kVerb, kLocal, kPost };  // as the row says, or less

struct Entry {
  std::string what;
  Price price;
  std::function<void(Scene&, void* function)> run;
};

class Book {
 public:
  template <class F>
  class Row {
   public:
    explicit Row(std::vector<Entry>& entries) : entries_(entries) {}

    template <class Body>
    Row& standard(const char* what, Body body) {
      return add(what, Price::kVerb, body);
    }
    template <class Body>
    Row& standard(Body body) {
      return add("standard", Price::kVerb, body);
    }
    template <class Body>
    Row& post(const char* what, Body body) {
      return add(what, Price::kPost, body);
    }
    template <class Body>
    Row& local(const char* what, Body body) {
      return add(what, Price::kLocal, body);
    }

   private:
    template <class Body>
    Row& add(const char* what, Price price, Body body) {
      entries_.push_back({what, price, [body](Scene& s, void* symbol) { body(s, reinterpret_cast<F>(symbol)); }});
      return *this;
    }

    std::vector<Entry>& entries_;
  };

  template <class F>
  Row<F> row(const char* name) {
    return Row<F>(rows_[name]);
  }
  const std::map<std::string, std::vector<Entry>>& rows() const { return rows_; }

 private:
  std::map<std::string, std::vector<Entry>> rows_;
};

// One per topic.
void addArrayRows(Book& book);
void addCompilerRows(Book& book);
void addContextRows(Book& book);
void addCopyRows(Book& book);
void addCopyShapeRows(Book& book);
void addDeviceRows(Book& book);
void addEventRows(Book& book);
void addExecutionContextRows(Book& book);
void addFillRows(Book& book);
void addGraphExecRows(Book& book);
void addGraphNodeRows(Book& book);
void addGraphRows(Book& book);
void addHiprtcRows(Book& book);
void addImageRows(Book& book);
void addInteropRows(Book& book);
void addIpcRows(Book& book);
void addLaunchRows(Book& book);
void addLibraryRows(Book& book);
void addManagedRows(Book& book);
void addMemoryRows(Book& book);
void addModuleRows(Book& book);
void addOtherRows(Book& book);
void addPoolRows(Book& book);
void addStreamRows(Book& book);
void addSymbolRows(Book& book);
void addVmmRows(Book& book);

}  // namespace hipr::rows

#define ROW(name) book.row<decltype(&::name)>(#name)
