#!/bin/sh
# Generates the typed clients that are committed in sdk/; with --check, says whether they are current.
set -eu
cd "$(dirname "$0")"
exec helixor-sdk-gen generate --manifest embedded-pack-manifest.json --lang rust,java,python --out sdk "$@"
