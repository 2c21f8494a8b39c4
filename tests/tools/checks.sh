#!/bin/bash
# The style checks find what they are for: each is run over a small tree that breaks one rule a
# line, and over a clean one.
set -eu
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$tools"/check-* "$tools"/code-only.awk "$work"
mkdir -p "$work/tree/tools" "$work/tree/src/"{base,stats,report,zfsd,cmd} "$work/tree/tests"
cp "$tools"/code-only.awk "$work/tree/tools"
cd "$work/tree"

# finds CHECK LINE...: the check fails and says each of these.
finds() {
	local check=$1 line
	shift
	if "$work/check-$check" . >"$work/out" 2>&1; then
		echo "check-$check found nothing in a tree that breaks its rules"
		exit 1
	fi
	for line; do
		grep -qF -- "$line" "$work/out" || { echo "check-$check does not say: $line"; cat "$work/out"; exit 1; }
	done
}
passes() {
	"$work/check-$1" . >"$work/out" 2>&1 || { echo "check-$1 complains about a clean tree"; cat "$work/out"; exit 1; }
}

cat >src/cmd/clean.c <<'END'
/* A command may print, use all layers, and name "exit(1)" or printf( in texts and comments. */
#include "report/report.h"
#include <stdio.h>

typedef int (*callback)(void);

int clean(int a, int b, int (*c)(int, int), int d, int e)
{
	printf("// not a comment: exit(%d)", a);
	return b;
}
END
printf '/* A header that compiles alone. */\n#include <stddef.h>\nsize_t report_size(void);\n' >src/report/report.h
for check in layers source words headers; do passes $check; done

cat >src/stats/broken.c <<'END'
#include "record/record.h"
#include "broken.h"
#include "nowhere/x.h"
typedef struct {
	int x;
} thing;
// this form
int f(int a, int b, int (*c)(int, int), int d, int e, int g)
{
	printf("x"); exit(1);
	fprintf(stderr, "x");
	sprintf(a, "x");
#ifdef __linux__
#endif
}
END
cat >src/report/report.c <<'END'
/* A head comment. */
#include "store/store.h"
#include "stats/broken.h"
#include "record/record_internal.h"
#include "zfsd/zfsd_protocol.h"
END
printf '/* x */\n#include "run/run.h"\n#include "device/device.h"\n' >src/zfsd/zfsd.c
finds layers \
	'src/stats/broken.c:1: stats (layer 1) may not use "record/record.h"' \
	'src/stats/broken.c:2: "broken.h": includes are written from src' \
	'src/stats/broken.c:3: "nowhere/x.h": no such folder' \
	'src/report/report.c:2: report may not use "store/store.h"' \
	'src/report/report.c:4: "record/record_internal.h" belongs to record alone' \
	'src/report/report.c:5: report may not use' \
	'src/zfsd/zfsd.c:2: zfsd may not use "run/run.h"'
grep -qF 'device/device.h' "$work/out" && { echo "check-layers forbids zfsd its device"; exit 1; }

{
	echo '/* Long. */'
	echo 'void g(void)'
	echo '{'
	for ((i = 0; i < 81; i++)); do echo '	x++;'; done
	echo '}'
	for ((i = 0; i < 800; i++)); do echo; done
} >src/base/broken.c
finds source \
	'src/stats/broken.c:1: no comment at the head' \
	'src/stats/broken.c:4: structs, unions and enums go without typedef' \
	'src/stats/broken.c:7: comments are written' \
	'src/stats/broken.c:9: 6 parameters, at most 5' \
	'src/stats/broken.c:10: only commands print' \
	'src/stats/broken.c:10: only commands end the process' \
	'src/stats/broken.c:11: only commands print' \
	'src/stats/broken.c:12: this call checks nothing' \
	'src/stats/broken.c:13: system differences' \
	'src/base/broken.c:3: function of 81 lines, at most 80' \
	'src/base/broken.c:1: 885 lines' \
	'base name broken.c is used more than once'

echo 'size_t base_size(void);' >src/base/base.h
finds headers 'src/base/base.h does not compile alone with'

printf 'one /wo''rk/x\ntwo TO''DO\nthree iss''ue 4\n' >words
finds words 'words:1:' 'words:2:' 'words:3:'
