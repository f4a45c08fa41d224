#!/usr/bin/env bash
# Runs go test and shows what was skipped, with the reason. On CI a skip is a
# failure: a test that did not run has shown nothing.
set -uo pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT
go test -json "$@" >"$out"
status=$?
go run ./test/report <"$out" || status=1
exit $status
