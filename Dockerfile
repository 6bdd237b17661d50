# syntax=docker/dockerfile:1
#
#   docker build -t switchboard .
#   docker run --rm --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 switchboard demo
#   docker run --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 -v switchboard:/data switchboard

# Builds for every processor on the one at hand. Bun comes from its package, in the version of its types.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN npm install --global "bun@$(node -p 'require("./package.json").devDependencies["bun-types"]')" \
    && bun install --frozen-lockfile --production
COPY tsconfig.json ./
COPY drizzle ./drizzle
COPY src ./src
ARG TARGETARCH COMMIT COMMITTED_AT
# The folder is made here because the last stage has no shell; a new volume takes over its owner.
RUN if [ "$TARGETARCH" = amd64 ]; then target=linux-x64; else target=linux-$TARGETARCH; fi \
    && bun src/release/build.ts --target "$target" --commit "$COMMIT" --committed-at "$COMMITTED_AT" \
    && mkdir /data

# glibc and the system's certificates; no shell, no package manager. `nonroot` is user and group 65532.
FROM gcr.io/distroless/base-debian12:nonroot@sha256:7f0c72cd138b442ae0deeb69c08b1acf5525439ba251a49ad93c320a061567e5
ARG VERSION COMMIT COMMITTED_AT REPOSITORY
LABEL org.opencontainers.image.title="Switchboard" \
      org.opencontainers.image.description="Self-hosted server for the WhatsApp Business Platform" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$COMMITTED_AT" \
      org.opencontainers.image.source="$REPOSITORY" \
      org.opencontainers.image.documentation="$REPOSITORY#readme" \
      org.opencontainers.image.base.name="gcr.io/distroless/base-debian12:nonroot"
COPY --from=build /app/dist/switchboard /switchboard
COPY --from=build --chown=65532:65532 /data /data
# All addresses of the container: only published ports can be reached from outside.
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0 DEMO_HOST=0.0.0.0
EXPOSE 8080
VOLUME /data
USER 65532:65532
# Whether the process lives, not whether it is ready: a long migration is no reason to start it anew. There is no shell and no curl here.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/switchboard", "health"]
# Graceful stop takes SHUTDOWN_SECONDS (8); Docker kills after 10.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/switchboard"]
CMD ["serve"]
