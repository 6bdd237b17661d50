#!/bin/sh
# Signs in to the registry of images with the token of the workflow.
set -eu
printf '%s' "$TOKEN" | docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin
