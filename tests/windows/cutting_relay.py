#!/usr/bin/env python3
"""A relay on 127.0.0.1, for one session: cuts each of its connections after some bytes, with and without a reset.
  cutting_relay.py WORKER_PORT LOG     LOG: "port N" first, then a line for each cut; ends when it is told to"""
import random
import selectors
import socket
import struct
import sys

GREETING = 16 << 10  # a cut before the session exists is no cut of it
MOST = 100_000       # bytes, both directions together, that a connection lives
PIECE = 64 << 10


def main():
    worker_port, log = int(sys.argv[1]), open(sys.argv[2], "w", buffering=1)
    chance = random.Random(1)
    listener = socket.create_server(("127.0.0.1", 0))
    print("port", listener.getsockname()[1], file=log)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    left = {}  # of a connection, by either of its sockets: [bytes]
    least = GREETING

    def end(one, other, reset):
        for side in (one, other):
            if reset:
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            selector.unregister(side)
            left.pop(side)
            side.close()

    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                client, worker = listener.accept()[0], socket.create_connection(("127.0.0.1", worker_port))
                allowance = [least + chance.randrange(100, MOST)]
                least = 0
                for one, other in ((client, worker), (worker, client)):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(one, selectors.EVENT_READ, other)
                    left[one] = allowance
                continue
            one, other = key.fileobj, key.data
            if one not in left:  # ended a moment ago
                continue
            try:
                data = one.recv(min(PIECE, left[one][0]))
                other.sendall(data)
            except OSError:
                data = b""
            left[one][0] -= len(data)
            if not data:
                end(one, other, False)
            elif left[one][0] == 0:
                print("cut", file=log)
                end(one, other, chance.random() < 0.5)


main()
