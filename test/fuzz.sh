#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME (30s) each, and lists those
# that failed. What made one fail is kept in testdata/fuzz of its package.
# Arguments are packages to keep to, such as ./core/search/...
set -uo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-30s}
failed=()
count=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# fuzz runs one target. On a busy machine go test now and then takes the end of
# its own time for a failure; that is no finding, so it is run once more.
fuzz() {
	local try
	for try in 1 2; do
		go test -run '^$' -fuzz "^$1\$" -fuzztime "$time" "$2" </dev/null 2>&1 | tee "$out" && return 0
		grep -q 'context deadline exceeded' "$out" || return 1
		grep -q 'Failing input written' "$out" && return 1
		echo "run $try ended with its time; that is no finding"
	done
	return 1
}

while read -r dir package; do
	targets=$(cat "$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' | sort -u)
	for target in $targets; do
		count=$((count + 1))
		echo "== $package $target, $time"
		fuzz "$target" "$package" || failed+=("$package $target")
	done
done < <(go list -f '{{.Dir}} {{.ImportPath}}' "${@:-./...}")
echo
if [ "$count" = 0 ]; then
	echo "There is no fuzz target in ${*:-the module}."
	exit 1
fi
if [ ${#failed[@]} -gt 0 ]; then
	echo "${#failed[@]} of $count fuzz targets failed:"
	printf '  %s\n' "${failed[@]}"
	exit 1
fi
echo "All $count fuzz targets passed."
