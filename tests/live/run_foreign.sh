#!/bin/bash
# What is not ours is left alone and named: a journal of somebody else, a folder without the marker,
# a pid that another process has by now; and where plumb may not work it says what to change.
# shellcheck disable=SC2154 # plumb, scratch and results come from live.sh
set -u
. "$(dirname "$0")/../lib/live.sh"
need_root

boot=$(cat /proc/sys/kernel/random/boot_id)
journal=$PLUMB_SCRATCH/journal
mkdir -m 0711 "$PLUMB_SCRATCH"
mkdir -m 0711 "$PLUMB_SCRATCH"/rigs
mkdir -m 0700 "$journal"

head_line() { # ID
	printf '{"plumb_journal":1,"id":"%s","study":"s","pid":999999999,"start_ticks":1,"boot":"%s"}\n' \
		"$1" "$boot"
}
clean() {
	"$plumb" clean >"$scratch"/out 2>&1
}

# Not a journal, and one of another user.
printf 'not a journal\n' >"$journal"/plumb-00000001.journal
chmod 0600 "$journal"/plumb-00000001.journal
{ head_line plumb-00000002; printf '{"note":0,"kind":"folder","path":"%s/precious"}\n' "$scratch"; } \
	>"$journal"/plumb-00000002.journal
chmod 0600 "$journal"/plumb-00000002.journal
chown nobody "$journal"/plumb-00000002.journal
mkdir "$scratch"/precious
touch "$scratch"/precious/data
clean || fail 'clean failed'
says 'plumb-00000001.journal'
says 'plumb-00000002.journal'
[ -e "$scratch"/precious/data ] || fail 'a foreign journal was obeyed'
[ -e "$journal"/plumb-00000001.journal ] || fail 'a file that is not ours was removed'
rm "$journal"/*

# Ours by owner, but the folder has no marker, or another rig's.
{ head_line plumb-00000003; printf '{"note":0,"kind":"folder","path":"%s/precious"}\n' "$scratch"; } \
	>"$journal"/plumb-00000003.journal
chmod 0600 "$journal"/plumb-00000003.journal
clean || fail 'clean failed'
says "$scratch/precious"
[ -e "$scratch"/precious/data ] || fail 'a folder without marker was removed'

# A reused pid: this shell's own, begun at another time.
{ head_line plumb-00000004; printf '{"note":0,"kind":"process","pid":%d,"start_ticks":1}\n' $$; } \
	>"$journal"/plumb-00000004.journal
chmod 0600 "$journal"/plumb-00000004.journal
clean || fail 'clean failed'
says "process $$ is another one now"

# A mount and a loop device that are not ours.
truncate -s 16M "$scratch"/foreign.image
loop=$(losetup --find --show "$scratch"/foreign.image)
{ head_line plumb-00000005; printf '{"note":0,"kind":"loop","path":"%s","owner":"x","inode":1,"device":1}\n' "$loop"
	printf '{"note":1,"kind":"mount","path":"/proc"}\n'; } >"$journal"/plumb-00000005.journal
chmod 0600 "$journal"/plumb-00000005.journal
clean || { losetup -d "$loop"; fail 'clean failed'; }
says 'which is not ours'
losetup "$loop" >/dev/null || fail 'a foreign loop device was detached'
losetup -d "$loop"
[ -d /proc/self ] || fail '/proc was unmounted'

# A last line that was cut short by the kill counts as not written.
{ head_line plumb-00000006; printf '{"note":0,"kind":"folder","pa'; } >"$journal"/plumb-00000006.journal
chmod 0600 "$journal"/plumb-00000006.journal
clean || fail 'clean failed'
[ ! -e "$journal"/plumb-00000006.journal ] || fail 'an empty journal stays'

# A folder that others may write to, or that the server's user cannot reach.
study tiny <<'END'
[study]
name = tiny
[filesystem]
type = directory
[workload]
scale = 1
clients = 1
[design]
warmup = 0
measure = 1s
repeats = 1
END
chmod 0777 "$PLUMB_SCRATCH"
run 1 tiny
says 'can be written by others'
chmod 0711 "$PLUMB_SCRATCH"
mkdir -m 0700 "$scratch"/closed
run 1 tiny --scratch "$scratch"/closed/inside
says 'is closed to others'
# Results in a folder that only root can reach are no matter: the server never goes there.
mkdir -m 0700 "$scratch"/private
(cd "$scratch"/private && "$plumb" run "$scratch"/tiny.ini -r "$scratch"/private/results >"$scratch"/out 2>&1) ||
	{ cat "$scratch"/out; fail 'a study from a closed folder did not run'; }

# A plain user: the same study, in the user's own folders.
install -d -o nobody -m 0700 "$scratch"/home
install -m 0755 "$plumb" "$scratch"/plumb
install -m 0644 "$scratch"/tiny.ini "$scratch"/home/tiny.ini
as_user() {
	setpriv --reuid=nobody --regid=nogroup --clear-groups env -u PLUMB_SCRATCH \
		HOME="$scratch"/home XDG_RUNTIME_DIR="$1" "$scratch"/plumb run "$scratch"/home/tiny.ini \
		-r "$scratch"/home/results >"$scratch"/out 2>&1
}
# A runtime folder whose sockets would be too long is not taken.
long=$scratch/home/$(printf 'x%.0s' $(seq 80))
install -d -o nobody -m 0700 "$long"
as_user "$long" || { cat "$scratch"/out; fail 'a plain user could not run'; }
says 'done'
rm -rf "/tmp/plumb-$(id -u nobody)"
[ -z "$(leftovers)" ] || fail "left behind: $(leftovers)"
