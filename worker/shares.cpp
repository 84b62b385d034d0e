#include "worker/shares.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "platform/secrets.h"
#include "worker/hand_over.h"

namespace hipr::worker {

namespace {

std::size_t mostOf(int sessions) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 1024;
  return std::min<std::size_t>(Shares::kMostOfSession, limit.rlim_cur / 2 / static_cast<std::size_t>(sessions));
}

constexpr char kShare[] = "share";

}  // namespace

Shares::Shares(int sessions) : most_(mostOf(sessions)) {}

bool Shares::keep(int account, const std::string& identity, std::uint64_t bytes, Descriptor descriptor,
                  wire::Secret& secret) {
  std::size_t& count = counts_[account];
  if (descriptor.number() < 0 || bytes == 0 || count >= most_) return false;
  unsigned char random[sizeof secret];
  platform::randomBytes(random);
  std::memcpy(&secret, random, sizeof secret);
  ++count;
  shares_.insert_or_assign(secret, Share{account, identity, bytes, std::move(descriptor)});
  return true;
}

const Shares::Share* Shares::find(const wire::Secret& secret, const std::string& identity) const {
  const auto found = shares_.find(secret);
  return found != shares_.end() && found->second.identity == identity ? &found->second : nullptr;
}

void Shares::drop(int account, const wire::Secret& secret) {
  const auto found = shares_.find(secret);
  if (found == shares_.end() || found->second.account != account) return;
  shares_.erase(found);
  --counts_[account];
}

void Shares::close(int account) {
  std::erase_if(shares_, [account](const auto& entry) { return entry.second.account == account; });
  counts_.erase(account);
}

void Shares::handOver(HandedState& state, Heritage& heritage) const {
  for (const auto& [secret, share] : shares_) {
    heritage.add(nameOf(kShare, static_cast<int>(state.shares.size())), share.descriptor.number());
    state.shares.push_back({secret, share.account, share.identity, share.bytes});
  }
}

void Shares::inherit(const HandedState& state, Heritage& heritage) {
  for (int i = 0; const HandedShare& in : state.shares) {
    net::Socket descriptor = heritage.take(nameOf(kShare, i++));
    if (!descriptor.open()) continue;
    shares_.emplace(in.secret, Share{in.account, in.identity, in.bytes, Descriptor(descriptor.release())});
    ++counts_[in.account];
  }
}

bool SharedMemory::keep(std::uint64_t bytes, int descriptor, wire::Secret& secret) {
  const Answer answer = supervisor_.ask({.wish = Wish::kKeep, .bytes = bytes}, descriptor);
  secret = answer.secret;
  return answer.value != 0;
}

Descriptor SharedMemory::fetch(const wire::Secret& secret, std::uint64_t& bytes) {
  Descriptor got;
  bytes = supervisor_.ask({.wish = Wish::kFetch, .secret = secret}, -1, &got).value;
  return got;
}

void SharedMemory::drop(const wire::Secret& secret) {
  supervisor_.ask({.wish = Wish::kDrop, .secret = secret});
}

}  // namespace hipr::worker
