# The client image: what makes a pod without a GPU use one elsewhere. Its entrypoint runs as an init container.
#   docker build -f deploy/docker/client.Dockerfile -t hip-remote-client .
ARG BUILD_BASE=ubuntu:jammy-20240911.1
ARG SMALL_BASE=busybox:1.36.1
FROM ${BUILD_BASE} AS build
COPY deploy/docker/install_build_tools.sh /tools/
RUN /tools/install_build_tools.sh
COPY . /source
RUN /source/deploy/docker/build.sh /source /made hip_client_5 hip_client_6 hip_client_7 \
    hip_preload_all hip_preload_5 hip_preload_6 hip_preload_7
RUN /source/deploy/docker/stage_client.sh /made /image
ARG VERSION=0.1.0
RUN /source/deploy/docker/sbom.py /image hip-remote-client "${VERSION}" >/sbom.spdx.json && \
    mkdir -p /image/usr/share/sbom && mv /sbom.spdx.json /image/usr/share/sbom/hip-remote-client.spdx.json

FROM ${SMALL_BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="hip-remote-client" \
      org.opencontainers.image.description="HIP Remote: makes a pod use an AMD GPU of another node" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /image/ /
USER 65532:65532
ENTRYPOINT ["/inject_client.sh"]
