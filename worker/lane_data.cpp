// Pieces of uploads that come over lanes (data_lanes.h). To an upload they are like pieces that were named: each has
// its place, and is found or is missing. And what the client says of lanes for downloads (lane_downloads.h).
#include "worker/session.h"

namespace hipr::worker {

hipError_t Session::onLaneData(const wire::LaneData& m) {
  forgetUploads();
  const auto found = uploads_.find(m.transfer);
  if (found == uploads_.end() || m.offset != found->second->received()) {
    refuse("a lane's data that does not belong anywhere");
    return hipSuccess;
  }
  const std::shared_ptr<Upload> upload = found->second;
  if (!mayExpect(*upload, m.size)) return hipSuccess;
  if (!lanes_.announce(m.lane, {upload, m.transfer, m.offset, m.size})) refuse("data on a lane that does not exist");
  return hipSuccess;
}

hipError_t Session::onDownloadLanes(const wire::DownloadLanes& m) {
  LaneDownloads::Links links;
  if (m.lanes.size() > wire::kMostLanes) refuse("too many lanes for downloads");
  for (const std::uint32_t number : m.lanes) {
    std::shared_ptr<net::Transport> link;
    if (!lanes_.find(number, link)) refuse("downloads for a lane that does not exist");
    if (link) links.emplace(number, std::move(link));
  }
  if (refusal_.empty()) transferContext_.lanes.use(links, m.least, m.all);
  return hipSuccess;
}

hipError_t Session::onNamedDataAnswer(const wire::NamedDataAnswer& m) {
  if (!transferContext_.lanes.answered(m)) refuse("an answer about data that was not announced");
  return hipSuccess;
}

void Session::laneGave(const LanePiece& piece, Staging::Block block, bool keep) {
  if (block && keep && dataCache_.keeps()) keepData(block, piece.size);
  if (!block) piece.upload->abandon(hipErrorOutOfMemory);  // unless it has been
  piece.upload->found(std::move(block), piece.offset, piece.size);
  answerData(piece.upload, piece.transfer, piece.offset, true);
}

void Session::laneLost(const LanePiece& piece) {
  piece.upload->missing(piece.offset, piece.size);
  answerData(piece.upload, piece.transfer, piece.offset, false);
}

}  // namespace hipr::worker
