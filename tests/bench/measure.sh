# shellcheck shell=bash
# How scripts/bench measures: whole processes, medians, output to files; a row of its table
# for each. It sets place, the folder of inputs and results, and runs, how often.
# shellcheck disable=SC2154

# kept NAME COMMAND...: makes NAME, an input that takes long to make, from the output of the
# command, unless an earlier run made it. The next run does not use the file of an interrupted one.
kept() {
    [ ! -s "$place/$1" ] || return 0
    "${@:2}" > "$place/unfinished"
    mv "$place/unfinished" "$place/$1"
}

# measured INPUT COMMAND: sets seconds and kilobytes, the most that a single
# process of the command had in memory at once.
measured() {
    local command="{ $2; } < '$place/$1' > '$place/out'" warmup=1
    # A command that is run only once takes long.
    [ "$runs" -gt 1 ] || warmup=0
    # With exec the command replaces its shell, so that no other fork is measured.
    case $2 in *'|'*) ;; *) command="exec $2 < '$place/$1' > '$place/out'" ;; esac
    # Truncating the output of the run before would take milliseconds, too.
    hyperfine --shell 'bash -o pipefail' --prepare "rm -f '$place/out'" --warmup $warmup \
        --runs "$runs" --export-csv "$place/times" "$command" > "$place/said" 2>&1 ||
        fail "$2: $(cat "$place/said")"
    # The columns are command,mean,stddev,median,user,system,min,max.
    seconds=$(awk -F, 'END { print $(NF - 4) }' "$place/times")
    command time -f %M -o "$place/peak" bash -o pipefail -c "$command" 2> "$place/said" ||
        fail "$2: $(cat "$place/said")"
    kilobytes=$(tail -n 1 "$place/peak")
}

print_head() {
    echo "| input | command | seconds | MB/s | peak MB | times the peer |"
    echo "|---|---|--:|--:|--:|--:|"
}

# row INPUT COMMAND [RATIO]
row() {
    local bytes
    bytes=$(wc -c < "$place/$1")
    awk -v input="$1" -v command="$2" -v bytes="$bytes" -v seconds="$seconds" \
        -v kilobytes="$kilobytes" -v ratio="${3:-}" 'BEGIN {
            gsub(/\|/, "\\|", command)
            printf "| %s | `%s` | %.3f | %.0f | %.1f | %s |\n", input, command,
                seconds, bytes / seconds / 1e6, kilobytes * 1024 / 1e6, ratio }'
}

# race INPUT PEER COMMAND: a row for each, with their ratio; sets peer, its seconds, and those
# and the kilobytes of the command.
race() {
    measured "$1" "$2"
    row "$1" "$2"
    peer=$seconds
    measured "$1" "$3"
    row "$1" "$3" "$(awk -v peer="$peer" -v ours="$seconds" 'BEGIN { printf "%.1f", peer / ours }')"
}

# alone INPUT COMMAND: a row for a command without a peer.
alone() {
    measured "$1" "$2"
    row "$1" "$2"
}
