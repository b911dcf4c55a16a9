# shellcheck shell=bash
# The files of other profilers, compared with other programs that read them: rows for
# scripts/bench, which sets place, the folder of inputs and results, and megabytes, their size.
# shellcheck disable=SC2154

# large NAME SHAPE PROFILE: makes NAME of a golden file, repeated as inputs.py does it.
large() {
    kept "$1" python3 tests/bench/inputs.py "$2" "tests/golden/formats/$3" "$megabytes"
}

# raced NAME PEER [streams]: rows of stack-parse and of a peer that is installed, and whether
# stack-parse is three times as fast; where a format can be streamed, within a quarter of
# the file's size, too.
raced() {
    local bytes
    if ! command -v "${2%% *}" > /dev/null; then
        echo "bench: ${2%% *} is missing: $1 is not measured" >&2
        return
    fi
    race "$1" "$2" 'stack-parse'
    bytes=$(wc -c < "$place/$1")
    awk -v input="$1" -v peer="$peer" -v ours="$seconds" -v quarter=$((bytes / 4)) \
        -v memory=$((kilobytes * 1024)) -v streams="${3:-}" 'BEGIN {
            if (peer < 3 * ours) print input ": less than 3 times as fast"
            if (streams && memory > quarter) print input ": more than a quarter in memory" }' \
        >> "$place/missed"
}

# wide_pb: writes the stacks of wide.folded, decompressed.
wide_pb() { stack-export --to pprof "$place/wide.folded" | gzip -d; }

rows_of_profiles() {
    local data=target/bench runs=$runs speedscope=${CARGO_TARGET_DIR:-target}/npm/node_modules/speedscope
    : > "$place/missed"
    large samples.pb pprof pprof/go-cpu.pb.gz
    raced samples.pb "go tool pprof -traces $data/samples.pb"
    # Its stacks are distinct.
    kept wide.folded wide
    kept wide.pb wide_pb
    raced wide.pb "go tool pprof -traces $data/wide.pb"
    large rows.xml xctrace xctrace/time-profile.xml
    raced rows.xml 'inferno-collapse-xctrace' streams
    large chunks.jfr jfr jfr/jdk17-two-chunks.jfr.gz
    raced chunks.jfr "jfr print --json $data/chunks.jfr" streams
    # The peers take minutes for the rest.
    runs=1
    if [ -d "$speedscope" ]; then
        large events.json trace_event trace-event/py-spy.json.gz
        raced events.json "node tests/bench/speedscope.js $speedscope $data/events.json" streams
    else
        echo 'bench: speedscope is missing, which scripts/test installs: no rows' >&2
    fi
    large costs.callgrind callgrind callgrind/contexts.out.gz
    raced costs.callgrind "callgrind_annotate $data/costs.callgrind" streams
    # A call graph is made from all functions, and each repetition has other functions.
    large functions.callgrind callgrind_functions callgrind/contexts.out.gz
    raced functions.callgrind "callgrind_annotate $data/functions.callgrind"
}

print_profiles() {
    print_head
    rows_of_profiles
    [ ! -s "$place/missed" ] || fail "$(cat "$place/missed")"
}
