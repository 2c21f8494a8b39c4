#!/bin/bash
# Random operations on a stack of devices against a plain array (device_stress.c).
# $1: the program; $2: the stack, FILE and LOG in it stand for files of our own; $3: operations.
set -eu
folder=$(mktemp -d /var/tmp/plumb-stress-XXXXXX)
trap 'rm -rf "$folder"' EXIT
stack=${2//FILE/$folder/disk}
stack=${stack//LOG/$folder/log}
# PLUMB_STRESS_PART: only one in so many operations.
exec_count=$3
[ "${PLUMB_STRESS_PART:-1}" = 1 ] || exec_count=$((exec_count / PLUMB_STRESS_PART))
"$1" "$stack" "$exec_count" "${PLUMB_STRESS_SEED:-1}"
