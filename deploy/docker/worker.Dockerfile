# The worker image: hip-worker, which TensorFusion starts as ./tensor-fusion-worker -p 8000. No GPU is needed to build it.
#   docker build -f deploy/docker/worker.Dockerfile -t hip-remote-worker .
#   docker build -f deploy/docker/worker.Dockerfile --target slim -t hip-remote-worker:slim .
# The slim one has no ROCm: it uses what TensorFusion mounts at /usr/local/rocm or the node's /opt/rocm, or the software GPU.
ARG BUILD_BASE=ubuntu:jammy-20240911.1
FROM ${BUILD_BASE} AS build
COPY deploy/docker/install_build_tools.sh /tools/
RUN /tools/install_build_tools.sh
COPY . /source
RUN /source/deploy/docker/build.sh /source /made hip-worker hip-compile hip_softgpu_7
RUN /source/deploy/docker/stage_worker.sh /made /image
ARG VERSION=0.1.0
RUN /source/deploy/docker/sbom.py /image hip-remote-worker "${VERSION}" >/sbom.spdx.json && \
    mkdir -p /image/usr/share/sbom && mv /sbom.spdx.json /image/usr/share/sbom/hip-remote-worker.spdx.json

FROM ${BUILD_BASE} AS rocm
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
COPY deploy/docker/install_rocm_tarball.sh /tools/
ARG ROCM_VERSION=7.10.0
ARG AMDGPU_FAMILY=gfx94X-dcgpu
ARG RELEASE_TYPE=stable
# Of the tarball; "unchecked" takes what comes. ROCM_TARBALL_URL: of another place than AMD's, e.g. a mirror.
ARG ROCM_SHA256
ARG ROCM_TARBALL_URL
RUN : "${ROCM_SHA256:?give the tarball's SHA-256, or unchecked}"
RUN /tools/install_rocm_tarball.sh "${ROCM_VERSION}" "${AMDGPU_FAMILY}" "${RELEASE_TYPE}"

# What a worker loads of it: AMD's runtime and SMI, and what those need.
FROM build AS stage
COPY --from=rocm /opt/ /opt/
RUN rm -rf /image && /source/deploy/docker/stage_worker.sh /made /image /opt/rocm
ARG ROCM_VERSION=7.10.0
ARG VERSION=0.1.0
RUN /source/deploy/docker/sbom.py /image hip-remote-worker "${VERSION}" "${ROCM_VERSION}" >/sbom.spdx.json && \
    mkdir -p /image/usr/share/sbom && mv /sbom.spdx.json /image/usr/share/sbom/hip-remote-worker.spdx.json

FROM ${BUILD_BASE} AS slim
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="hip-remote-worker" \
      org.opencontainers.image.description="HIP Remote: serves the AMD GPUs of its node over the network" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
RUN apt-get update -q && apt-get install -y -q --no-install-recommends libnuma1 libelf1 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=build /image/ /
ENV LD_LIBRARY_PATH=/usr/local/rocm/lib:/opt/rocm/lib
WORKDIR /opt/hip-remote/bin
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8000"]
CMD ["./tensor-fusion-worker", "-p", "8000"]

FROM slim
COPY --from=stage /image/opt/rocm/ /opt/rocm/
COPY --from=stage /image/usr/share/sbom/ /usr/share/sbom/
