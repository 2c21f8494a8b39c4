#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# Studies that are wrong are refused with file and line, by plan and run alike, before anything is
# touched.
. "$(dirname "$0")/lib.sh"

# refused TEXT...: the file bad.ini is refused with each TEXT.
refused() {
	local command text
	for command in plan run; do
		expect 1 "$plumb" "$command" bad.ini
		for text in "$@"; do says err "$text"; done
		[ ! -s out ] || fail "$command printed something about a wrong study: $(cat out)"
	done
	[ ! -e plumb-results ] && [ ! -e scratch ] || fail "something was made for: $*"
}
good='[study]
name = bad
[filesystem]
type = fake
[workload]
type = fake'

printf '%s\n' "$good" 'fake_tsp = 5' >bad.ini
refused "bad.ini:7: [workload] has no key 'fake_tsp'" "did you mean 'fake_tps'?"
printf '%s\n' "$good" '[desing]' >bad.ini
refused 'bad.ini:7: unknown section [desing]' 'did you mean [design]?'
printf '%s\n' "$good" '[design]' 'warmup = 5 parsecs' >bad.ini
refused 'bad.ini:8: design.warmup'
printf '%s\n' "$good" '[design]' 'repeats = -1' >bad.ini
refused 'bad.ini:8: design.repeats'
printf '%s\n' "$good" 'type = fake' >bad.ini
refused 'bad.ini:7:' 'set already'
printf '[study]\nname = bad\n' >bad.ini
refused 'type is missing'
: >bad.ini
refused 'name is missing'
rm bad.ini
refused "cannot open 'bad.ini'"
mkdir bad.ini
refused "cannot read 'bad.ini'"
rmdir bad.ini
head -c 100 /dev/zero >bad.ini
refused 'NUL'
{ echo "$good"; printf 'fake_tps = %05000d\n' 1; } >bad.ini
refused 'bad.ini:7:' '4096'

# Scales that are none, and absurd ones, with what is possible.
for wrong in 'pgbench scale 0' 'pgbench scale 99999999' 'load scale 0' 'load scale -1' 'analytic scale 0' \
	'analytic scale 1e9' 'analytic scale nan' 'dd file_size 0' 'fio file_size 100P'; do
	read -r type key value <<<"$wrong"
	printf '[study]\nname = bad\n[filesystem]\ntype = fake\n[workload]\ntype = %s\n%s = %s\n' "$type" "$key" "$value" >bad.ini
	refused "bad.ini:7: workload.$key = "
	grep -qE 'must be|takes' err || fail "$wrong: it is not said what is possible: $(cat err)"
done

# A million cells: three factors of a hundred levels.
hundred=$(seq -s, 1 100)
printf '%s\n' "$good" "fake_tps = $hundred" '[postgresql.conf]' "a = $hundred" "b = $hundred" >bad.ini
refused 'bad.ini' 'more than 100000 cells'

# Values from the command line are held to the same rows.
printf '%s\n' "$good" >bad.ini
expect 1 "$plumb" plan bad.ini --seed many
says err 'on the command line: design.seed'
expect 1 "$plumb" plan bad.ini --small
says err 'no [small] section'
end
