# TensorFusion's middleware image for AMD GPUs: libaccelerator_amd.so. No GPU is needed to build it.
#   docker build -f deploy/docker/provider.Dockerfile -t hip-remote-provider .
# ROCM_VERSION="" leaves AMD's libamd_smi out: then the nodes must have ROCm in /opt/rocm.
ARG BUILD_BASE=ubuntu:jammy-20240911.1
ARG SMALL_BASE=busybox:1.36.1
FROM ${BUILD_BASE} AS build
COPY deploy/docker/install_build_tools.sh /tools/
RUN /tools/install_build_tools.sh
COPY . /source
RUN /source/deploy/docker/build.sh /source /made accelerator_amd

FROM ${BUILD_BASE} AS rocm
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
COPY deploy/docker/install_rocm_tarball.sh /tools/
ARG ROCM_VERSION=7.10.0
ARG AMDGPU_FAMILY=gfx94X-dcgpu
ARG RELEASE_TYPE=stable
# Of the tarball; "unchecked" takes what comes. ROCM_TARBALL_URL: of another place than AMD's, e.g. a mirror.
ARG ROCM_SHA256
ARG ROCM_TARBALL_URL
RUN if [ -n "${ROCM_VERSION}" ]; then : "${ROCM_SHA256:?give the tarball's SHA-256, or unchecked}"; fi
RUN if [ -n "${ROCM_VERSION}" ]; then /tools/install_rocm_tarball.sh "${ROCM_VERSION}" "${AMDGPU_FAMILY}" "${RELEASE_TYPE}"; \
    else mkdir -p /opt/rocm; fi

FROM build AS stage
ARG ROCM_VERSION=7.10.0
COPY --from=rocm /opt/ /opt/
RUN /source/deploy/docker/stage_provider.sh /made /image "${ROCM_VERSION:+/opt/rocm}"
ARG VERSION=0.1.0
RUN /source/deploy/docker/sbom.py /image hip-remote-provider "${VERSION}" "${ROCM_VERSION}" >/sbom.spdx.json && \
    mkdir -p /image/usr/share/sbom && mv /sbom.spdx.json /image/usr/share/sbom/hip-remote-provider.spdx.json

# The operator runs `cp -r /build/. /run/tensor-fusion` in it: sh and cp are all it needs.
FROM ${SMALL_BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="hip-remote-provider" \
      org.opencontainers.image.description="TensorFusion's provider for AMD GPUs" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY --from=stage /image/ /
USER 65532:65532
WORKDIR /build
CMD ["sleep", "infinity"]
