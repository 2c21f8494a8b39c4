#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# "plumb zfs" does what the words of zpool and zfs say: layouts, datasets, properties and what they bring
# about in files, snapshots and rollback, scrub, status, what is printed for people, scripts and as JSON.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"
unmount_more() { umount -l "$scratch/b" 2>/dev/null; }
trap 'unmount_more; cleanup' EXIT

is() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }
value() { z get -Hp "$1" "$2" | cut -f 3; }
source_of() { z get -Hp "$1" "$2" | cut -f 4; }
disks=("$scratch"/d1 "$scratch"/d2 "$scratch"/d3 "$scratch"/d4 "$scratch"/d5)
truncate -s 256M "${disks[@]}"

# Every layout is made, shown, given back, and found by the devices alone.
layouts='stripe||2
mirror|mirror|2
raidz1|raidz1|3
raidz2|raidz2|4
raidz3|raidz3|5'
while IFS='|' read -r name word count; do
	# shellcheck disable=SC2086 # a stripe has no word
	z create -f tank $word "${disks[@]:0:count}" || fail "$name: create"
	z status tank >"$scratch/status"
	is "$name: disks online" "$(grep -c "$scratch.*ONLINE *0 *0 *0" "$scratch/status")" "$count"
	grep -q 'errors: No known data errors' "$scratch/status" || fail "$name: status"
	options=()
	for disk in "${disks[@]:0:count}"; do options+=(-d "$disk"); done
	z export tank && z import "${options[@]}" >/dev/null || fail "$name: import"
	is "$name: health" "$(z list -H -t pool -o health)" ONLINE
	z destroy tank || fail "$name: destroy"
done <<<"$layouts"
z create -f -o ashift=12 -o comment=here -O compression=off -m "$mount" tank mirror "${disks[@]:0:2}" log "${disks[2]}" || die "create"
z status tank | grep -A1 -P '^\tlogs$' | grep -q "${disks[2]}" || fail "the log device does not stand below 'logs'"
z status -j | jq -e '.pools[0].vdevs.children | length == 2 and .[0].log == false and .[1].log and (.[0].type == "mirror")' >/dev/null ||
	fail "status -j: $(z status -j | jq -c .pools[0].vdevs)"

# Datasets and properties: inherited, set, and what files become of it.
z create -p -o recordsize=16K tank/a/b || fail "create -p"
is 'recordsize' "$(value recordsize tank/a/b) $(source_of recordsize tank/a/b)" '16384 local'
is 'recordsize above' "$(value recordsize tank/a) $(source_of recordsize tank/a)" '131072 default'
z set compression=zstd-3 tank/a || fail "set"
is 'compression below' "$(value compression tank/a/b) $(source_of compression tank/a/b)" 'zstd-3 inherited from tank/a'
is 'mountpoint' "$(value mountpoint tank/a/b) $(source_of mountpoint tank/a/b)" "$mount/a/b inherited from tank"
is 'fields' "$(z get -H -o source,value recordsize tank/a/b)" "$(printf 'local\t16K')"
is 'headings' "$(z list | head -n 1 | xargs)/$(z list -t pool | head -n 1 | xargs)" \
	'NAME USED AVAIL REFER MOUNTPOINT/NAME SIZE ALLOC FREE FRAG CAP HEALTH'
z set mountpoint=/srv tank/a
is 'mountpoint below' "$(value mountpoint tank/a/b) $(source_of mountpoint tank/a/b)" '/srv/b inherited from tank/a'
is 'ashift' "$(z list -Hp -t pool -o ashift)" 12
is 'names' "$(z list -H -o name -t filesystem | paste -sd' ')" 'tank tank/a tank/a/b'
mkdir "$scratch/b" && z mount tank/a/b "$scratch/b" || die "mount"
is 'mounts' "$(z mount | sort | xargs)" "tank $mount tank/a/b $scratch/b"
z unmount tank/a/b && z set mountpoint="$scratch/b" tank/a/b && z mount tank/a/b || fail "mount where the property says"
is 'mounted there' "$(z mount -H | grep tank/a/b)" "$(printf 'tank/a/b\t%s' "$scratch/b")"
head -c 1M /dev/urandom >"$scratch/b/small" && sync "$scratch/b/small"
z set recordsize=64K tank/a/b || fail "set recordsize"
head -c 1M /dev/urandom >>"$scratch/b/small" && head -c 1M /dev/urandom >"$scratch/b/large" && sync "$scratch/b/small" "$scratch/b/large"
# With the sizes: who asks for the block size alone is told what the kernel has, however old.
is 'a new record size is for new files' "$(stat -c '%s %o' "$scratch/b/small" "$scratch/b/large" | paste -sd' ')" \
	'2097152 16384 1048576 65536'
yes plumb | head -c 4M >"$scratch/b/text" && cp "$scratch/b/text" "$mount/text" && sync "$scratch/b/text" "$mount/text"
deadline=$((SECONDS + 30)) # sizes on disk are known once the transaction group is written
until [ "$(du -k "$mount/text" | cut -f 1)" -ge 4096 ] && [ "$(du -k "$scratch/b/text" | cut -f 1)" -gt 0 ]; do
	[ $SECONDS -lt $deadline ] || die "du: $(du -k "$mount/text" "$scratch/b/text")"
	sleep 0.2
done
[ "$(du -k "$scratch/b/text" | cut -f 1)" -lt 512 ] || fail "zstd: $(du -k "$scratch/b/text") of 4096"
[ "$(z list -Hp -o compressratio tank/a/b)" != 1.00 ] || fail "compressratio of tank/a/b is 1.00"
z set quota=12M tank/a || fail "quota"
dd if=/dev/urandom of="$scratch/b/much" bs=1M count=40 2>"$scratch/dd" && fail "40M went into a quota of 12M"
grep -qE 'quota|No space' "$scratch/dd" || fail "quota: $(cat "$scratch/dd")"
rm "$scratch/b/much" && z set quota=none tank/a || fail "quota=none"

# Snapshots hold what was there; rollback brings it back, only where newer ones may go.
echo first >"$scratch/b/file"
z snapshot tank/a/b@one || fail "snapshot"
echo second >"$scratch/b/file"
z snapshot -r tank@two || fail "snapshot -r"
rm "$scratch/b/small"
is 'snapshots' "$(z list -H -t snapshot -o name | sort | paste -sd' ')" 'tank/a/b@one tank/a/b@two tank/a@two tank@two'
z unmount "$scratch/b" || fail "unmount by folder"
is 'a snapshot by its name' "$(z list -H -o name tank@two)" tank@two
is 'a snapshot has no room of its own' "$(z list -H -t snapshot -o avail,recordsize,mountpoint tank@two)" "$(printf -- '-\t-\t-')"
z rollback tank/a/b@one 2>"$scratch/why" && fail "rolled back over a newer snapshot"
z rollback tank/a/b@two && z mount tank/a/b "$scratch/b" || die "rollback, mount"
is 'rolled back' "$(cat "$scratch/b/file") $(stat -c %s "$scratch/b/small")" 'second 2097152'
z unmount tank/a/b && z rollback -r tank/a/b@one && z mount tank/a/b "$scratch/b" || die "rollback -r, mount"
is 'rolled back again' "$(cat "$scratch/b/file")" first
is 'snapshots left' "$(z list -H -t snapshot -o name | sort | paste -sd' ')" 'tank/a/b@one tank/a@two tank@two'
z destroy tank/a/b 2>/dev/null && fail "a dataset with snapshots was destroyed"
mountpoint -q "$scratch/b" || fail "what was refused was unmounted"
z destroy tank/a 2>/dev/null && fail "a dataset with children was destroyed"
z destroy -r tank/a || fail "destroy -r of what is mounted"
mountpoint -q "$scratch/b" && fail "destroyed, but mounted"
z create tank/leaf && z mount tank/leaf "$scratch/b" && z destroy tank/leaf || fail "destroy of what is mounted"

# A block that changes on one side of the mirror is found, and mended from the other.
head -c 20M /dev/urandom >"$mount/data" && sync "$mount/data"
sum=$(md5sum <"$mount/data")
z export tank || die "export of what is mounted"
dd if=/dev/urandom of="${disks[0]}" bs=1M seek=5 count=100 conv=notrunc status=none
z import -d "${disks[0]}" -d "${disks[1]}" -d "${disks[2]}" >/dev/null && z mount tank "$mount" || die "import"
z scrub -w tank || fail "scrub"
is 'scrub' "$(z status -j tank | jq -r '.pools[0].scan | "\(.function) \(.state) \(.errors) \(.repaired_bytes > 1000000)"')" 'scrub finished 0 true'
is 'mended' "$(md5sum <"$mount/data")" "$sum"
z status tank | grep -q "${disks[0]} *ONLINE *0 *0 *[1-9]" || fail "no checksum errors are shown: $(z status tank)"

z iostat -Hp tank | awk -F '\t' 'NF == 7 && $1 == "tank" && $2 > 0 && $3 > 0 { found = 1 } END { exit !found }' ||
	fail "iostat: $(z iostat -Hp tank)"
z iostat -Hp 0.1 2 | awk -F '\t' 'NF == 7 && $1 == "tank" { n++ } END { exit n != 2 }' || fail "iostat of all pools: $(z iostat -Hp 0.1 2)"
z list -j -t pool | jq -e '.rows[0].properties.size.raw | tonumber > 200000000' >/dev/null || fail "list -j"
z get -j all tank | jq -e '.tank.recordsize.value == "128K" and .tank.recordsize.source == "default"' >/dev/null || fail "get -j all"
z unmount tank && z destroy tank || fail "destroy"
# A destroyed pool is there only for who asks for it; a folder stands for the disks in it.
rm "${disks[@]:3}" # they were part of other pools
z import -d "$scratch" 2>"$scratch/why" && fail "a destroyed pool was imported"
grep -q "'tank' was destroyed" "$scratch/why" || fail "import of a destroyed pool: $(cat "$scratch/why")"
z import -D -d "$scratch" >/dev/null || die "import -D: $(cat "$scratch/why")"
is 'all its disks were found' "$(z status -j | jq -r '.pools[0].state')" ONLINE
z export tank && z import -d "$scratch" >"$scratch/name" || die "import by folder"
is 'by folder' "$(cat "$scratch/name")" tank
z import -D -d "$scratch" 2>/dev/null && fail "import -D of a pool that was not destroyed"
z destroy tank || fail "destroy"
[ -z "$(zfsd_pid)" ] || fail "a daemon stayed after the last pool"
exit $failed
