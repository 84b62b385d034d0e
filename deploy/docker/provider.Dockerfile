# TensorFusion's middleware image for AMD GPUs: libaccelerator_amd.so. No GPU is needed to build it.
#   docker build -f deploy/docker/provider.Dockerfile -t hip-remote-provider .
# ROCM_VERSION="" leaves AMD's libamd_smi out: then the nodes must have ROCm in /opt/rocm.
FROM ubuntu:22.04 AS build
COPY deploy/docker/install_build_tools.sh /tools/
RUN /tools/install_build_tools.sh
COPY . /source
RUN /source/deploy/docker/build.sh /source /made accelerator_amd

FROM ubuntu:22.04 AS rocm
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
COPY deploy/docker/install_rocm_tarball.sh /tools/
ARG ROCM_VERSION=7.10.0
ARG AMDGPU_FAMILY=gfx94X-dcgpu
ARG RELEASE_TYPE=stable
RUN if [ -n "${ROCM_VERSION}" ]; then /tools/install_rocm_tarball.sh "${ROCM_VERSION}" "${AMDGPU_FAMILY}" "${RELEASE_TYPE}"; \
    else mkdir -p /opt/rocm; fi

FROM build AS stage
ARG ROCM_VERSION=7.10.0
COPY --from=rocm /opt/ /opt/
RUN /source/deploy/docker/stage_provider.sh /made /image "${ROCM_VERSION:+/opt/rocm}"

# The operator runs `cp -r /build/. /run/tensor-fusion` in it: sh and cp are all it needs.
FROM busybox:stable
COPY --from=stage /image/ /
WORKDIR /build
CMD ["sleep", "infinity"]
