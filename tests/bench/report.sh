#!/bin/bash
# bench/report: the page of 500 trials is made in time and stays small enough. Its goals have room for a
# busy machine (0.4 s of 3 s here alone).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$("$root/bench/report" --quick) || { echo "$out"; exit 1; }
echo "$out"
for figure in report_seconds report_megabytes; do
	grep -q "^FIGURE $figure .* ok" <<<"$out" || { echo "$figure is not ok"; exit 1; }
done
