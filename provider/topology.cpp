#include "provider/topology.h"

#include <algorithm>

#include "provider/board.h"
#include "provider/text.h"

namespace hipr::provider {
namespace {

const telemetry::Link* linkBetween(const Board& board, std::size_t from, std::size_t to) {
  for (const telemetry::Link& link : board.links()) {
    if (link.from == from && link.to == to) return &link;
  }
  return nullptr;
}

TopoLevel level(const Board& board, std::size_t from, std::size_t to, const telemetry::Link* link) {
  if (link && link->kind == telemetry::LinkKind::Fabric) return kTopoInternal;
  const auto& here = board.gpus()[from].numaNode;
  const auto& there = board.gpus()[to].numaNode;
  if (!here || !there) return kTopoUnknown;
  return *here == *there ? kTopoNumaNode : kTopoSystem;
}

}  // namespace

template <class Node>
void fillTopology(const Board& board, Topology<Node>& out) {
  const std::size_t count = std::min(board.gpus().size(), kMaxTopologyDevices);
  out.deviceCount = count;
  for (std::size_t i = 0; i < count; ++i) {
    TopologyRow<Node>& row = out.devices[i];
    setText(row.deviceUUID, board.names()[i]);
    row.deviceIndex = static_cast<std::int32_t>(i);
    row.numaNode = board.gpus()[i].numaNode.value_or(-1);
    row.peerCount = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      const telemetry::Link* link = linkBetween(board, i, j);
      Node& node = row.peers[row.peerCount++];
      setText(node.peerUUID, board.names()[j]);
      node.peerIndex = static_cast<std::int32_t>(j);
      node.topoLevel = level(board, i, j, link);
      if constexpr (requires { node.bandwidthBytesPerSec; }) {
        node.bandwidthBytesPerSec = link ? static_cast<std::int64_t>(link->bytesPerSecond.value_or(0)) : 0;
      }
    }
  }
}
template void fillTopology(const Board& board, HeaderTopology& out);
template void fillTopology(const Board& board, GoTopology& out);

}  // namespace hipr::provider
