"""The kubelet's side of device plugins: they register at kubelet.sock, and are asked for devices when a container wants some.
The messages are written and read by hand: three of them, and no compiler for them needed."""
import os
from concurrent import futures

import grpc


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Of a message: number and value of each; the interface has text, messages and flags."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            value, at = varint(data, at)
            yield key >> 3, value


def field(number, data):
    size, head = len(data), bytearray([number << 3 | 2])
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    return bytes(head) + bytes([size]) + data


def texts(data):
    return {number: value.decode() for number, value in fields(data) if isinstance(value, bytes)}


class DevicePlugins:
    """folder: what the node has at /var/lib/kubelet/device-plugins. on_devices(resource, count) hears of what there is."""

    def __init__(self, folder, on_devices):
        self.folder, self.on_devices = folder, on_devices
        self.channels, self.devices = {}, {}
        os.makedirs(folder, exist_ok=True)
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        register = grpc.unary_unary_rpc_method_handler(self.register)
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("v1beta1.Registration", {"Register": register}),))
        self.server.add_insecure_port("unix:" + os.path.join(folder, "kubelet.sock"))
        self.server.start()

    def register(self, request, _):
        said = texts(request)  # 1 the interface's version, 2 the plugin's socket, 3 the resource
        channel = grpc.insecure_channel("unix:" + os.path.join(self.folder, said[2]))
        self.channels[said[3]] = channel
        stream = channel.unary_stream("/v1beta1.DevicePlugin/ListAndWatch")(b"")

        def follow():
            try:
                for message in stream:
                    names = [texts(device)[1] for _, device in fields(message)]
                    self.devices[said[3]] = names
                    self.on_devices(said[3], len(names))
            except grpc.RpcError:
                pass  # the plugin has gone; one that comes back registers anew

        futures.thread.threading.Thread(target=follow, daemon=True).start()
        return b""

    def allocate(self, resource, count):
        """(environment, [(host path, container path)]) for a container that gets so many of them."""
        wanted = b"".join(field(1, name.encode()) for name in self.devices[resource][:count])
        answer = self.channels[resource].unary_unary("/v1beta1.DevicePlugin/Allocate")(field(1, wanted), timeout=120)
        environment, mounts = {}, []
        for _, container in fields(answer):
            for number, value in fields(container):
                said = texts(value)
                if number == 1:
                    environment[said[1]] = said.get(2, "")
                elif number == 2:  # of a mount: 1 is the container's path, 2 the host's
                    mounts.append((said[2], said[1]))
                elif number == 3:  # of a device: likewise
                    mounts.append((said[2], said[1]))
        return environment, mounts
