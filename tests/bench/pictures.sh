# shellcheck shell=bash
# Pictures of single profiles beside inferno's, for scripts/bench, which sets place, the folder
# of inputs and results: how long small ones take, and how large the files are.
# shellcheck disable=SC2154

small=(treegc-4.13.1-dwarf packbench-4.13.1-dwarf lwtsim-4.13.1-dwarf rust-tokio-dwarf)

# rows_of_pictures: small profiles, most of them deep.
rows_of_pictures() {
    local name
    for name in "${small[@]}"; do
        gzip -dc "tests/golden/folded/$name.folded.gz" > "$place/$name.folded"
        race "$name.folded" 'inferno-flamegraph' 'stack-svg'
    done
}

# bytes_of_picture FOLDED PROGRAM: the size of a picture without its script and style.
bytes_of_picture() {
    "$2" < "$1" 2> "$place/said" | perl -0777 -ne 's/<(script|style).*?<\/\1>//gs; print length'
}

# bytes_with_labels NAME LABELS [OPTION]...: the size of the picture of NAME.script, and compressed.
bytes_with_labels() {
    stack-parse --per-sample --labels "$2" "$place/$1.script" > "$place/times.folded" \
        2> "$place/said" || fail "$1: $(cat "$place/said")"
    stack-svg "${@:3}" "$place/times.folded" > "$place/times.svg" 2> "$place/said"
    printf '%s | %s' "$(wc -c < "$place/times.svg")" "$(gzip -9 < "$place/times.svg" | wc -c)"
}

# print_times NAME: what the strip of time adds to the picture of NAME.script, and a flame chart.
print_times() {
    echo
    echo "| picture of $1 | bytes | packed |"
    echo '|---|--:|--:|'
    echo "| without time | $(bytes_with_labels "$1" tid) |"
    echo "| with the strip of time | $(bytes_with_labels "$1" since,comm,tid) |"
    echo "| with a flame chart | $(bytes_with_labels "$1" since,comm,tid --flamechart) |"
}

# print_sizes [NAME]...: a table for the small profiles, and for NAME.script.
print_sizes() {
    local name peer ours
    echo '| without script and style | inferno-flamegraph, bytes | stack-svg, bytes | times its size |'
    echo '|---|--:|--:|--:|'
    for name in "${small[@]}" "$@"; do
        [ ! -e "$place/$name.script" ] ||
            stack-parse "$place/$name.script" > "$place/$name.folded" 2> "$place/said" ||
            fail "$name: $(cat "$place/said")"
        peer=$(bytes_of_picture "$place/$name.folded" inferno-flamegraph)
        ours=$(bytes_of_picture "$place/$name.folded" stack-svg)
        awk -v input="$name" -v peer="$peer" -v ours="$ours" 'BEGIN {
            printf "| %s | %d | %d | %.3f |\n", input, peer, ours, ours / peer }'
    done
}
