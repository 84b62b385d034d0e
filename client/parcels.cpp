// RemoteCore: copies that go from worker to worker. This process tells the one that gets the bytes, and passes its
// ticket on to the one that has them.
#include "client/remote_core.h"
#include "client/work.h"

namespace hipr::client {
using wire::Opcode;

hipError_t RemoteCore::invite(Stream& stream, const Copy& copy, Invitation& out) {
  Session& s = session();
  if (!s.invites() || copy.to.array) return hipErrorNotSupported;
  RemoteStream& r = remote(stream);
  waitForRoom(r);
  out.number = s.newTransfer();
  out.place = s.addressForPeers();
  wire::InviteReply reply;
  if (!s.connection().call<Opcode::kInvite>({r.id, shapeThere(s, copy.to, copy), out.number}, reply,
                                            [&] { s.streams().count(r); }))
    return kLost;
  out.ticket = reply.ticket;
  return errorFrom(reply.status);
}

void RemoteCore::withdraw(const Invitation& invitation) {
  session().connection().post<Opcode::kWithdraw>({invitation.number});
}

hipError_t RemoteCore::bring(Stream& stream, const Copy& copy, const Invitation& invitation) {
  Session& s = session();
  if (!s.brings() || copy.from.array) return hipErrorNotSupported;
  RemoteStream& r = remote(stream);
  waitForRoom(r);
  std::uint64_t position = 0;
  wire::Done done;
  if (!s.connection().call<Opcode::kBring>({r.id, shapeThere(s, copy.from, copy), invitation.place, invitation.ticket},
                                           done, [&] { position = s.streams().count(r); }))
    return kLost;
  if (done.status == hipSuccess) s.streams().show(r, position);
  return errorFrom(done.status);
}

}  // namespace hipr::client
