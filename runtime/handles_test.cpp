#include "runtime/handles.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace hipr {
namespace {

struct Thing {
  int value = 7;
  std::vector<int> more{1, 2, 3};
};

TEST(HandlePool, FindsWhatIsAlive) {
  HandlePool<Thing> pool(16);
  Thing* thing = pool.create();
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(thing->value, 7);
  EXPECT_EQ(pool.find(thing), thing);
}

TEST(HandlePool, GarbageIsNoHandle) {
  HandlePool<Thing> pool(16);
  EXPECT_EQ(pool.find(nullptr), nullptr);
  EXPECT_EQ(pool.find(reinterpret_cast<void*>(0xdeadbeef)), nullptr);
  Thing* thing = pool.create();
  for (const std::size_t off : {1u, 8u, 1000000u}) EXPECT_EQ(pool.find(reinterpret_cast<char*>(thing) + off), nullptr);
  EXPECT_EQ(pool.find(reinterpret_cast<char*>(thing) - 64), nullptr);
  int local = 0;
  EXPECT_EQ(pool.find(&local), nullptr);
  EXPECT_EQ(pool.find(reinterpret_cast<void*>(~std::uintptr_t{0})), nullptr);
}

TEST(HandlePool, StaleHandlesStayDead) {
  HandlePool<Thing> pool(8192);
  Thing* thing = pool.create();
  EXPECT_EQ(pool.take(thing), thing);
  EXPECT_EQ(pool.find(thing), nullptr);
  EXPECT_EQ(pool.take(thing), nullptr) << "only one caller may end a handle";
  pool.recycle(thing);
  for (int i = 0; i < 1000; ++i) {
    Thing* other = pool.create();
    EXPECT_NE(other, thing) << "reused after " << i;
    pool.recycle(pool.take(other));
  }
}

TEST(HandlePool, ReusesWhenExhausted) {
  HandlePool<Thing> pool(4);
  std::vector<Thing*> all;
  for (int i = 0; i < 4; ++i) all.push_back(pool.create());
  EXPECT_EQ(pool.create(), nullptr);
  all[2]->value = 99;
  pool.recycle(pool.take(all[2]));
  Thing* again = pool.create();
  EXPECT_EQ(again, all[2]);
  EXPECT_EQ(again->value, 7) << "a reused slot holds a new object";
}

TEST(HandlePool, ForEachSeesTheLiving) {
  HandlePool<Thing> pool(16);
  Thing *a = pool.create(), *b = pool.create(), *c = pool.create();
  pool.recycle(pool.take(b));
  std::set<Thing*> seen;
  pool.forEach([&](Thing* t) { seen.insert(t); });
  EXPECT_EQ(seen, (std::set<Thing*>{a, c}));
}

TEST(HandlePool, ManyThreads) {
  HandlePool<Thing> pool(1 << 16);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        Thing* thing = pool.create();
        ASSERT_EQ(pool.find(thing), thing);
        ASSERT_EQ(pool.take(thing), thing);
        pool.recycle(thing);
      }
    });
  for (std::thread& t : threads) t.join();
  int alive = 0;
  pool.forEach([&](Thing*) { ++alive; });
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace hipr
