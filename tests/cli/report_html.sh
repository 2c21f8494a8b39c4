#!/bin/bash
# The HTML report in a headless browser: nothing in the console, no request that leaves the file, every
# word escaped, a screenshot kept in the build folder. Without charts the page says why and stands.
# usage: report_html.sh PLUMB MAKE_STUDY FOLDER_FOR_SCREENSHOTS
set -eu
plumb=$(readlink -f "$1") make_study=$(readlink -f "$2") kept=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

cat >"$work/two.ini" <<'END'
[study]
name = two-factors
question = Does <b>"the page"</b> & the <script>alert(1)</script> record matter?
[filesystem]
type = ext4
fs_block_size = 4K, 1K, 2K
[postgres]
block_size = 8K, 32K
[workload]
type = pgbench
[design]
repeats = 6
controls = on
planted = 5%
baseline = filesystem.fs_block_size=4K postgres.block_size=8K
END
"$make_study" "$work/results" "$work/two.ini" trouble=1 filesystem.fs_block_size=1K:0.8 \
	postgres.block_size=32K:1.12
page=$work/report.html
"$plumb" report two-factors --results "$work/results" --format html --output "$page"

grep -q '<svg' "$page" || fail "no chart in the page"
[ "$(grep -c '<figure>' "$page")" -ge 10 ] || fail "charts are missing: $(grep -c '<figure>' "$page")"
! grep -qiE '<script|<b>|onload|javascript:' "$page" || fail "something was not escaped"
# Only names of XML namespaces and the icon that asks for nothing may look like addresses.
grep -oE '(https?:)?//[a-z0-9.]+[^"'"'"' ]*|(src|href)="[^"]*"' "$page" |
	grep -vE 'www\.w3\.org|href="(#|data:,)' >"$work/addresses" || true
[ ! -s "$work/addresses" ] || fail "the page points elsewhere: $(head -3 "$work/addresses")"
for text in 'A/A control passed' 'Planted effect found' 'Which setting mattered' 'Write ledger' \
	'Speed over time' 'Latency' 'Two settings together' 'To run it again' 'PostgreSQL 15.18' \
	'the hypervisor took 3.2 %' 'wal_init_zero' 'Recommended:'; do
	grep -qF "$text" "$page" || fail "the page does not say '$text'"
done
for number in nan inf; do
	! sed 's/<style>.*<\/style>//' "$page" | grep -qiE "(^|[^a-z])$number([^a-z]|\$)" ||
		fail "the page has a '$number'"
done

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	fail "no chromium: install the package chromium"
show() { # NAME OPTION...: screenshot to $kept, log to $work/log
	local name=$1
	shift
	rm -f "$kept/$name.png"
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--disable-background-networking --disable-component-update --no-first-run \
		--user-data-dir="$work/profile" --enable-logging=stderr --v=0 --hide-scrollbars \
		--log-net-log="$work/net.json" --window-size=1280,4000 "$@" \
		--screenshot="$kept/$name.png" "file://$page" >"$work/log" 2>&1 || fail "chromium: $(tail -5 "$work/log")"
	[ -s "$kept/$name.png" ] || fail "no screenshot $name"
	! grep -E 'CONSOLE' "$work/log" || fail "messages in the console"
}
show report-light
# Requests of the page itself; the browser's own housekeeping is switched off above.
! grep -oE '"url":"https?://[^"]*"' "$work/net.json" | grep -v 'google\|gvt1\|chrome' ||
	fail "a request left the file"
show report-dark --blink-settings=preferredColorScheme=0

# With a gnuplot that fails: the same page without pictures, and it says why.
mkdir "$work/bin"
printf '#!/bin/sh\necho "no terminal svg" >&2\nexit 1\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
PATH=$work/bin:$PATH "$plumb" report two-factors --results "$work/results" --format html >"$page.plain"
grep -q 'no terminal svg' "$page.plain" || fail "it does not say why there are no charts"
! grep -q '<svg' "$page.plain" || fail "a chart without gnuplot?"
grep -q 'Which setting mattered' "$page.plain" || fail "the rest of the page is gone"

# Twice the same, letter by letter.
"$plumb" report two-factors --results "$work/results" --format html | cmp - "$page" ||
	fail "the page differs from run to run"
"$plumb" report two-factors --results "$work/results" --format md >"$work/report.md"
grep -q '^| type=\|^| fs' "$work/report.md" || fail "no table in Markdown: $(cat "$work/report.md")"
# --open writes a file and shows it with whatever xdg-open is.
printf '#!/bin/sh\ncp "$1" "%s/shown"\n' "$work" >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"
cd "$work"
PATH=$work/bin:$PATH "$plumb" report two-factors --results results --format html --open
cmp -s shown two-factors.html || fail "--open showed another file"
! "$plumb" report --results results --format csv --open 2>/dev/null || fail "--open of csv"
