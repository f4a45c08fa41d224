#!/usr/bin/env bash
# Measures what the project promises to be fast and small, and prints one table.
# It fails only where something could not be measured. The programs must be in
# bin/ (make build). A quiet machine gives the numbers that count.
set -euo pipefail
cd "$(dirname "$0")/.."
exec go run ./test/bench "$@"
