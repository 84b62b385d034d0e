#include "net/ucx_link.h"

#include "base/log.h"
#include "platform/thread.h"

namespace hipr::net {

UcxLink::UcxLink(std::unique_ptr<UcxBridge> bridge, std::vector<std::uint8_t> other, Socket local,
                 TransportPtr lifeline)
    : bridge_(std::move(bridge)), other_(std::move(other)), local_(std::move(local)), lifeline_(std::move(lifeline)) {
  lifeline_->setTimeout(0);
  carrier_ = std::thread([this] { carry(); });
  watcher_ = std::thread([this] { watch(); });
}

UcxLink::~UcxLink() {
  wait();
}

void UcxLink::wait() {
  if (carrier_.joinable()) carrier_.join();
  if (watcher_.joinable()) watcher_.join();
}

void UcxLink::carry() {
  platform::nameThisThread("hip-ucx");
  const auto tell = [this](const UcxWord& word) { (void)lifeline_->send(std::as_bytes(std::span(&word, 1))); };
  const Status status = bridge_->carry(other_, local_, tell);
  if (!status.ok()) logError("%s", status.message().c_str());
  local_.shutdown();
  lifeline_->shutdown();
}

void UcxLink::watch() {
  platform::nameThisThread("hip-ucx-peer");
  UcxWord word;
  while (lifeline_->receiveAll(std::as_writable_bytes(std::span(&word, 1))).ok()) bridge_->hear(word);
  bridge_->leave();
}

void UcxLink::closeInChild(std::unique_ptr<UcxLink> link) {
  link->lifeline_.reset();
  link->local_.close();
  [[maybe_unused]] static UcxLink* abandoned;  // its threads cannot be joined here
  abandoned = link.release();
}

}  // namespace hipr::net
