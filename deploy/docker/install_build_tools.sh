#!/bin/sh
# What it takes to build HIP Remote in an Ubuntu 22.04 image: old enough that the client runs wherever glibc is 2.35 or newer.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends ca-certificates clang g++-12 ninja-build pkg-config python3-pip \
  libzstd-dev libxxhash-dev libsodium-dev libssl-dev libucx-dev zlib1g-dev nlohmann-json3-dev libbenchmark-dev
pip3 install --no-cache-dir 'cmake>=3.25,<4'
rm -rf /var/lib/apt/lists/*
