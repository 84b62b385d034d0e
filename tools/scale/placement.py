#!/usr/bin/env python3
"""What many clients and workers do to each other: who gets a place where, and what a failure costs.

No scheduler places clients. Each tries the addresses of its list one after the other until a worker has room
(docs/scale.md); this plays that for many of both, in simulated time, with the costs that were measured.

    tools/scale/placement.py [--workers 1000] [--clients 20000] [--places 24] [--minutes 30] [--seed 1]
"""
import argparse
import heapq
import random
import statistics

# Measured (docs/scale.md): milliseconds of the worker's processor, or of waiting in the client.
SESSION = 11.6  # a session begins: fork, exec, the runtime, the sandbox, the first allocation
OF_SUPERVISOR = 2.8  # the part of it that the supervisor has
REFUSAL = 0.07  # a connection is made, heard and refused
SILENCE = 5000.0  # a machine that does not answer at all: one of several gets 5 s
REFUSED_PORT = 0.3  # a machine that is there, and nobody listens


class Fleet:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.free = [options.places] * options.workers
        self.up = [True] * options.workers
        self.vanished = [False] * options.workers  # down without a word: packets are lost
        self.busy_ms = [0.0] * options.workers  # of each worker's supervisor
        self.served = [0] * options.workers
        self.tries, self.waits, self.turned_away = [], [], 0

    def place(self, candidates):
        """The first that has room; what it cost is counted. None: nobody had."""
        wait = 0.0
        for tries, worker in enumerate(candidates, 1):
            if not self.up[worker]:
                wait += SILENCE if self.vanished[worker] else REFUSED_PORT
                continue
            self.busy_ms[worker] += REFUSAL
            wait += REFUSAL
            if self.free[worker] == 0:
                continue
            self.free[worker] -= 1
            self.served[worker] += 1
            self.busy_ms[worker] += OF_SUPERVISOR
            self.tries.append(tries)
            self.waits.append(wait + SESSION)
            return worker
        self.turned_away += 1
        return None


def lists(kind, options, rng):
    """Makes the list that a new client tries."""
    everyone = range(options.workers)
    if kind == "one list for all":
        return lambda: everyone
    if kind == "one name, all addresses":
        def shuffled():  # as far as somebody looks
            seen = set()
            while len(seen) < options.workers:
                worker = rng.randrange(options.workers)
                if worker not in seen:
                    seen.add(worker)
                    yield worker

        return shuffled
    if kind == "one name, 8 addresses an answer":
        return lambda: rng.sample(everyone, min(8, options.workers))
    if kind == "two names of 4 workers":
        groups = [list(everyone[i : i + 4]) for i in range(0, options.workers, 4)]
        return lambda: [w for group in rng.sample(groups, min(2, len(groups))) for w in rng.sample(group, len(group))]
    raise ValueError(kind)


def play(kind, options):
    fleet = Fleet(options)
    rng = random.Random(options.seed + 1)
    make = lists(kind, options, rng)
    ends, now = [], 0.0
    stay = options.stay * 60.0
    rate = options.clients / stay  # arrivals a second that keep so many there

    def arrive():
        worker = fleet.place(make())
        if worker is not None:
            heapq.heappush(ends, (now + rng.expovariate(1 / stay), worker))

    for _ in range(options.clients):  # they are there already
        arrive()
    fleet.tries.clear(), fleet.waits.clear()
    fleet.busy_ms = [0.0] * options.workers
    fleet.turned_away = 0
    failure_at, lost = options.minutes * 30.0, 0
    steady_waits = 0
    while now < options.minutes * 60.0:
        now += rng.expovariate(rate)
        while ends and ends[0][0] <= now:
            _, worker = heapq.heappop(ends)
            fleet.free[worker] += 1
        if failure_at is not None and now >= failure_at:
            failure_at = None
            steady_waits = len(fleet.waits)
            dead = set(rng.sample(range(options.workers), options.workers // 20))
            for worker in dead:
                fleet.up[worker] = False
                fleet.vanished[worker] = worker % 2 == 0
            back = [end for end in ends if end[1] in dead]
            lost = len(back)
            ends[:] = [end for end in ends if end[1] not in dead]
            heapq.heapify(ends)
            for _ in back:  # their programs are started again, all at once
                arrive()
        arrive()
    load = [options.places - free for free, up in zip(fleet.free, fleet.up) if up]
    steady, after = fleet.waits[:steady_waits] or [0], fleet.waits[steady_waits:] or [0]
    quantile = lambda values, q: sorted(values)[min(len(values) - 1, int(q * len(values)))]
    print(
        f"{kind:32s} tries {statistics.mean(fleet.tries):6.1f} (most {max(fleet.tries):4d}) | "
        f"start ms median {statistics.median(steady):6.1f} 99% {quantile(steady, 0.99):7.1f} | "
        f"after 5% of the workers died: lost {lost}, start ms median {statistics.median(after):6.1f} "
        f"99% {quantile(after, 0.99):8.1f} | turned away {fleet.turned_away} | "
        f"sessions of a worker {min(load)}..{max(load)} | "
        f"busiest supervisor {max(fleet.busy_ms) / (options.minutes * 600):.2f} % of a core"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=20000, help="at a time, on average")
    parser.add_argument("--places", type=int, default=24, help="--max-sessions of each worker")
    parser.add_argument("--stay", type=float, default=10, help="minutes that a program runs, on average")
    parser.add_argument("--minutes", type=float, default=20, help="that are simulated; half way some workers die")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for kind in (
        "one list for all",
        "one name, all addresses",
        "one name, 8 addresses an answer",
        "two names of 4 workers",
    ):
        play(kind, options)


if __name__ == "__main__":
    main()
