#!/bin/sh
# Publishes dist/release under the tag of the workflow, after a last look at the checksums.
set -eu
cd dist/release
sha256sum --check --strict SHA256SUMS
gh release create "$GITHUB_REF_NAME" --repo "$GITHUB_REPOSITORY" --verify-tag \
  --title "Switchboard ${GITHUB_REF_NAME#v}" --notes-file CHANGES.md -- *
