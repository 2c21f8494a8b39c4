#!/bin/bash
# A rule of the OpenZFS library broken in the middle of a trial: its log has the assertion, the stack and the
# state of the pool; the trial is FAILED for that reason; the next run of the same set-up finds the pool
# imported again, with its files; nothing is left behind.
# Arguments: plumb, zfsd_request.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root
request=$2

study assertion <<END
[study]
name = assertion
[device]
size = 1G
[filesystem]
type = zfs-embedded
[zfs]
arc_max = 64M
[workload]
scale = 1
clients = 2
[design]
warmup = 0
measure = 5s
repeats = 1
runs = 2
END
"$plumb" run "$scratch"/assertion.ini -r "$results" --events "$scratch"/events >"$scratch"/out 2>&1 &
runner=$!
trap 'kill $runner 2>/dev/null; wait; finish' EXIT
for _ in $(seq 1200); do
	grep -qs '"phase":"run"' "$scratch"/events && break
	kill -0 $runner 2>/dev/null || break
	sleep 0.05
done
socket=$(pgrep -P $runner -a -f -- '--socket' | sed -n 's/.*--socket \([^ ]*\).*/\1/p' | head -n 1)
[ -S "$socket" ] || { cat "$scratch"/out; fail 'no daemon in the run'; }
"$request" "$socket" '{"command":"crash","assertion":true}' >"$scratch"/reply 2>&1
wait $runner
code=$?
trap finish EXIT
[ $code = 2 ] || { cat "$scratch"/out; fail "exit code $code"; }
[ "$(count_trials assertion failed)" = 1 ] && [ "$(count_trials assertion 'done')" = 1 ] ||
	{ cat "$scratch"/out; fail 'not one trial failed and one done'; }
failed=$("$plumb" list -r "$results" assertion | awk '/failed/ { print $1 }')
"$plumb" show -r "$results" "$failed" >"$scratch"/out
says 'plumb-zfsd has ended with signal 6'
says 'tx->tx_txg'
says 'fatal: signal 6 (ABRT), stack:'
says 'dmu_tx_commit'
log=$(find "$results" -name plumb-zfsd.log -path "*/${failed:0:16}/*" | head -n 1)
[ -f "$log" ] || fail 'the log of the daemon was not kept'
sed -n '/, stack:/,/end of report/p' "$log" >"$scratch"/out
says '"state": "ONLINE"'
says 'disk-0.image'
says 'end of report'
mount | grep -F "$scratch" && fail 'a mount is left'
exit 0
