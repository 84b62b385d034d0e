# The client image: what makes a pod without a GPU use one elsewhere. Its entrypoint runs as an init container.
#   docker build -f deploy/docker/client.Dockerfile -t hip-remote-client .
FROM ubuntu:22.04 AS build
COPY deploy/docker/install_build_tools.sh /tools/
RUN /tools/install_build_tools.sh
COPY . /source
RUN /source/deploy/docker/build.sh /source /made hip_client_5 hip_client_6 hip_client_7 \
    hip_preload_all hip_preload_5 hip_preload_6 hip_preload_7
RUN /source/deploy/docker/stage_client.sh /made /image

FROM busybox:stable
COPY --from=build /image/ /
ENTRYPOINT ["/inject_client.sh"]
