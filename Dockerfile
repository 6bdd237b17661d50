# syntax=docker/dockerfile:1
#
#   docker build -t switchboard .
#   docker run --read-only --tmpfs /tmp -p 8080:8080 -v switchboard:/data switchboard
#   docker run --rm --read-only --tmpfs /tmp -p 127.0.0.1:8080:8080 switchboard demo --host 0.0.0.0

FROM oven/bun:1.4.5 AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY tsconfig.json ./
COPY drizzle ./drizzle
COPY src ./src
# The folder is made here because the last stage has no shell; a new volume takes over its owner.
RUN bun run build:executable && mkdir /data

# glibc and the system's certificates; no shell, no package manager. `nonroot` is user and group 65532.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /app/dist/switchboard /switchboard
COPY --from=build --chown=65532:65532 /data /data
# All addresses of the container: only published ports can be reached from outside.
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0
EXPOSE 8080
VOLUME /data
USER 65532:65532
# Whether the process lives, not whether it is ready: a long migration is no reason to start it anew. There is no shell and no curl here.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/switchboard", "health"]
# Graceful stop takes SHUTDOWN_SECONDS (8); Docker kills after 10.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/switchboard"]
CMD ["serve"]
