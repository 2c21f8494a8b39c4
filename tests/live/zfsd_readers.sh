#!/bin/bash
# shellcheck disable=SC2154 # scratch, mount, plumb and failed are set by zfsd_lib.sh
# Other readers of the on-disk format see what was written through the mount: zdb every name, type,
# mode, owner, size, link and target; GRUB's own reader, which shares no code with OpenZFS, the bytes of
# every file. The pool has the features that this GRUB knows.
# Arguments: plumb, -, this folder.
. "$3/zfsd_lib.sh"
command -v grub-fstest >/dev/null || die "grub-fstest (package grub-common) is not installed"

truncate -s 1G "$scratch/a"
mkdir "$scratch/below"
z create -o compatibility=grub2-2.06 -O compression=lz4 -m "$mount" tank "$scratch/a" || exit 1
z create -O recordsize=16K tank/below && z mount tank/below "$scratch/below" || die "a dataset below"

# What tools leave behind, and what the format treats apart: blocks of every form, holes, folders of more
# entries than one block, targets that don't fit the bonus buffer, names at their limits.
fill() { # FOLDER
	local size name
	cd "$1" || return
	cp -a /usr/include/linux/netfilter* . && mkdir deep sizes names many && mkdir -p deep/er/and/deeper
	for size in 0 1 511 512 513 5120 8192 78336 131071 131072 131073 1000000; do
		head -c $size /dev/urandom >sizes/random-$size
		head -c $size /dev/zero >sizes/zero-$size
		yes plumb | head -c $size >sizes/text-$size
	done
	truncate -s 3M sizes/hole && dd if=/dev/urandom of=sizes/hole bs=8K seek=100 count=2 conv=notrunc status=none
	cp sizes/random-1000000 sizes/cut && truncate -s 300001 sizes/cut
	cp sizes/random-1000000 sizes/punched && fallocate -p -o 131072 -l 262144 sizes/punched
	for ((size = 0; size < 10; size++)); do head -c 3000 /dev/urandom >>sizes/appended; done
	for name in "$(printf 'x%.0s' {1..255})" 'with space' 'é ü' '-dash'; do echo "$name" >"names/$name"; done
	for name in {1..2500}; do : >"many/file-with-a-name-$name"; done
	rm many/*7 && mv many/file-with-a-name-1 deep/er/moved && mv deep/er/and deep/and
	ln names/-dash deep/hard && ln -s ../sizes/random-8192 deep/short
	ln -s "$(printf '/long%.0s' {1..60})" deep/long && mkfifo deep/fifo
	chmod 4751 sizes/text-513 && chmod 0 sizes/text-1 && chmod 1777 deep && chown -h 12:34 deep/short sizes/text-512
	echo >names/gone && rm names/gone
}
tree() { # FOLDER: path, object, mode, owner, group, links, size, target
	(cd "$1" && find . -printf '%P\t%i\t%y%m\t%U\t%G\t%n\t%s\t%l\n' |
		awk -F '\t' -v OFS='\t' '{ type = substr($3, 1, 1)
			$3 = (type == "f" ? "10" : type == "d" ? "4" : type == "p" ? "1" : "12") sprintf("%04d", substr($3, 2)); print }')
}
# The same from what zdb prints of each object.
zdb_tree() { # DATASET
	zdb -e -p "$scratch" -dddd "$1" 2>"$scratch/zdb.err" | awk -v OFS='\t' '
		/^ +-?[0-9]+ +[0-9]+ +[0-9.]+[KMG]? / { object = /ZFS (directory|plain file)/ ? $1 : 0; folder = /ZFS directory/ }
		!object { next }
		/^\t(uid|gid|mode|size|parent|links) / || /^\t(uid|gid|mode|size|parent|links|target)\t/ { value[object, $1] = $2 }
		folder && /^\t\t.* = [0-9]+ \(type: / {
			line = substr($0, 3); at = match(line, / = [0-9]+ \(type: [A-Za-z ]+\)$/)
			split(substr(line, at), part, " "); of[++n] = object; entry[n] = substr(line, 1, at - 1); to[n] = part[2]
			if (line ~ /type: Directory\)$/) { above[part[2]] = object; name[part[2]] = substr(line, 1, at - 1) }
		}
		function path(o) { return o in above ? (above[o] in above ? path(above[o]) "/" : "") name[o] : "" }
		function show(p, o) { print p, o, value[o, "mode"], value[o, "uid"], value[o, "gid"], value[o, "links"], value[o, "size"], value[o, "target"] }
		END { for (i = 1; i <= n; i++) { p = path(of[i]); show((p == "" ? "" : p "/") entry[i], to[i])
				if (!(of[i] in above)) root = of[i] }
			show("", root) }'
}
(fill "$mount") && (fill "$scratch/below") || die "fill"
for set in tank tank/below; do
	place=$mount
	[ $set = tank ] || place=$scratch/below
	tree "$place" | sort >"$scratch/want.${set##*/}"
	(cd "$place" && find . -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$scratch/sums.${set##*/}"
done
z unmount tank/below && z unmount tank && z export tank || die "export"

for set in tank tank/below; do
	zdb_tree "$set/" | sort >"$scratch/have"
	diff "$scratch/want.${set##*/}" "$scratch/have" >"$scratch/diff" ||
		fail "zdb sees another tree of $set: $(wc -l <"$scratch/diff") lines, $(head -n 6 "$scratch/diff")"
done
[ "$(wc -l <"$scratch/want.tank")" -gt 2000 ] || fail "the tree is smaller than it should be"
zdb -e -p "$scratch" -r tank sizes/hole "$scratch/copied" >"$scratch/zdb" 2>&1
grep -q "^$(md5sum <"$scratch/copied" | cut -d ' ' -f 1)  sizes/hole" "$scratch/sums.tank" || fail "zdb -r gives other bytes"

# Its listing of a folder is of no use: GRUB 2.06 takes the type in an entry for part of the object's number
# there. Names it looks up as it should. Of the many empty files a few are enough.
grub() { grub-fstest "$scratch/a" cat "(loop0)/$1" 2>"$scratch/grub.err"; }
for set in tank tank/below; do
	prefix=@
	[ $set = tank ] || prefix=below@
	grep -vE ' many/.*[0-9]{2}$' "$scratch/sums.${set##*/}" | while IFS= read -r line; do
		[ "$(grub "$prefix/${line:34}" | md5sum | cut -c 1-32)" = "${line:0:32}" ] ||
			echo "GRUB reads other bytes from $set ${line:34}: $(tail -n 1 "$scratch/grub.err")"
	done >"$scratch/grub"
	[ ! -s "$scratch/grub" ] || fail "$(wc -l <"$scratch/grub") files of $set: $(head -n 3 "$scratch/grub")"
	[ "$(grub "$prefix/deep/short" | md5sum | cut -c 1-32)" = "$(grep 'sizes/random-8192$' "$scratch/sums.${set##*/}" | cut -c 1-32)" ] ||
		fail "GRUB does not follow a symbolic link of $set"
	grub "$prefix/names/gone" >/dev/null
	grep -q 'not found' "$scratch/grub.err" || fail "GRUB finds a file of $set that was removed: $(cat "$scratch/grub.err")"
done
zdb -e -p "$scratch" -bcc tank >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
echo "$(wc -l <"$scratch/want.tank") names, $(cat "$scratch"/sums.* | grep -vcE " many/.*[0-9]{2}$") files read by GRUB"
exit $failed
