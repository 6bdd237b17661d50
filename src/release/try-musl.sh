#!/bin/sh
# Tries a packed executable for musl in a container of Alpine, as try.sh does.
set -eu
exec docker run --rm --volume "$PWD:/source:ro" --workdir /source \
  alpine:3.22@sha256:14358309a308569c32bdc37e2e0e9694be33a9d99e68afb0f5ff33cc1f695dce \
  sh -euc 'apk add --no-cache libstdc++ && exec sh src/release/try.sh "$1"' try "$1"
