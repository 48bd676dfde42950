# The image that deploy/ runs: both commands, nothing else, as a user without rights. CI builds the
# same way, see the target "build" of the Makefile.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=dev
# The directory is made here: the image below has nothing to make one with.
RUN mkdir -p /out/cache
RUN make build GOOS=$TARGETOS GOARCH=$TARGETARCH VERSION=$VERSION

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/bin/kupenstackd /src/bin/kupenstack-sync /usr/local/bin/
COPY --from=build --chown=65532:65532 /out/cache /var/cache/kupenstack
USER 65532:65532
ENV KUPENSTACK_CACHE_DIR=/var/cache/kupenstack
VOLUME /var/cache/kupenstack
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/kupenstackd"]
