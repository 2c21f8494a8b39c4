#!/bin/bash
# tools/derive-sources.awk: entries of both of apt's forms give the entries that plumb needs, with
# their keys, and entries that are off, foreign, or of other suites give nothing.
set -eu
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/debian.sources" <<'END'
# a comment
Types: deb
URIs: http://mirror.example/debian
# a comment inside
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 bm90IGEga2V5
Architectures: amd64

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://foreign.example/x
Suites: bookworm
Components: main
END
cat >"$work/sources.list" <<'END'
# deb http://comment.example/ bookworm main
deb cdrom:[Debian 12]/ bookworm main
deb [arch=amd64,arm64 signed-by=/usr/share/keyrings/k.gpg] http://one.example/debian stable main non-free # x
deb-src http://one.example/debian stable main
END
cat >"$work/expected" <<'END'

Types: deb
URIs: http://mirror.example/debian
Suites: bookworm-backports
Components: contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 bm90IGEga2V5
Architectures: amd64

Types: deb-src
URIs: http://mirror.example/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 bm90IGEga2V5
Architectures: amd64

Types: deb-src
URIs: http://mirror.example/debian
Suites: bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 bm90IGEga2V5
Architectures: amd64

Types: deb
URIs: http://one.example/debian
Suites: bookworm-backports
Components: contrib
Architectures: amd64 arm64
signed-by: /usr/share/keyrings/k.gpg

Types: deb-src
URIs: http://one.example/debian
Suites: stable
Components: main
Architectures: amd64 arm64
signed-by: /usr/share/keyrings/k.gpg
END
export archives='http://mirror.example/debian/ bookworm bookworm
http://mirror.example/debian/ bookworm-updates bookworm-updates
http://off.example/debian/ bookworm bookworm
http://comment.example/ bookworm bookworm
http://one.example/debian/ stable bookworm'
export codename=bookworm binary='bookworm-backports contrib' source=1
awk -f "$tools/derive-sources.awk" "$work/debian.sources" "$work/sources.list" >"$work/got"
diff -u "$work/expected" "$work/got"

# Debian 13: same suite, one component more; the machine has source entries of its own.
binary='. contrib' source=0 awk -f "$tools/derive-sources.awk" "$work/sources.list" >"$work/got"
sed -n '/^URIs: http:..one/,$p' "$work/expected" | sed '/^$/,$d; s/bookworm-backports/stable/' |
	sed '1i\\nTypes: deb' | diff -u - "$work/got"

# Nothing asked for, nothing printed.
binary='' source=0 awk -f "$tools/derive-sources.awk" "$work/debian.sources" "$work/sources.list" >"$work/got"
[ ! -s "$work/got" ]
