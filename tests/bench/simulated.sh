#!/bin/bash
# bench/simulated holds its figures.
set -eu
exec "$(cd "$(dirname "$0")/../.." && pwd)/bench/simulated" --quick
