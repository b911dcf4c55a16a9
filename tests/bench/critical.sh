# shellcheck shell=bash
# What the critical path and --what-if predict from one recording, compared with programs in which
# that function is faster. scripts/bench sets place, the folder of inputs and results, and runs, the
# number of runs.
# shellcheck disable=SC2154

waiting_functions='fork-join slow_part
fork-join fast_part
fork-join serial_part
pipeline consume
pipeline produce
convoy critical
convoy local_work
pool big_task
pool small_task
client-server handle
client-server prepare
client-server render'

# median NUMBER...
median() {
    printf '%s\n' "$@" | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# share_of FUNCTION: how much of the weight of folded stacks is below it, in percent
share_of() {
    awk -v function_="$1" '!/^# / {
        weight = $NF; all += weight; stack = $0; sub(/ [0-9]+$/, "", stack)
        count = split(stack, frames, /[;\t]/)
        for (i = 1; i <= count; i++) if (frames[i] == function_) { part += weight; break }
    } END { print all ? 100 * part / all : 0 }'
}

print_critical() {
    local waiting=$place/waiting data=$place/waiting.data slices=$place/waiting.slices
    local program function_ factor run cpu path base after gain sooner
    local first=()
    # Other programs then wait for these.
    chrt -f 1 true 2> "$place/chrt" && first=(chrt -f 1)
    cc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$waiting" \
        tests/bench/waiting.c
    awk '$1 > 1 { print "This machine is busy: " $1 " programs run.\n" }' /proc/loadavg
    echo '| program, function | times as fast | measured % | CPU share | path | what-if |'
    echo '|---|--:|--:|--:|--:|--:|'
    while read -r program function_; do
        perf record -q -g -e cpu-clock/freq=2000/ -e sched:sched_switch -e sched:sched_waking \
            --switch-events -m 16M -o "$data" "${first[@]}" "$waiting" "$program" > "$place/run"
        stack-parse --wall --per-sample --header --labels time,tid,pid,comm,state,waker "$data" \
            > "$slices" 2> "$place/said"
        cpu=$(stack-parse --event cpu-clock "$data" 2> "$place/said" | share_of "$function_")
        path=$(stack-critical "$slices" 2> "$place/said" | share_of "$function_")
        base=()
        for ((run = 0; run < runs; run++)); do base+=("$("${first[@]}" "$waiting" "$program")"); done
        for factor in 1.25 2 4; do
            after=()
            for ((run = 0; run < runs; run++)); do
                after+=("$("${first[@]}" "$waiting" "$program" "$function_" "$factor")")
            done
            stack-critical --what-if "^$function_\$=$factor" "$slices" 2> "$place/said" > "$place/if"
            sooner=$(sed -n 's/.*: \([-0-9.]*\) % sooner$/\1/p' "$place/said")
            gain=$(awk -v base="$(median "${base[@]}")" -v after="$(median "${after[@]}")" \
                'BEGIN { print 100 * (base - after) / base }')
            awk -v p="$program $function_" -v k="$factor" -v g="$gain" -v c="$cpu" -v a="$path" \
                -v w="$sooner" 'BEGIN {
                    part = 1 - 1 / k
                    printf "| %s | %s | %.1f | %.1f | %.1f | %.1f |\n", p, k, g, c * part, a * part, w
                }'
        done
    done <<< "$waiting_functions" | tee "$place/critical.md"
    echo
    awk -F'|' '{
        for (i = 5; i <= 7; i++) { off = $i - $4; sum[$3, i] += off < 0 ? -off : off }
        count[$3]++
    } END {
        for (k in count) printf "mean error, %s times: CPU share %.1f, path %.1f, what-if %.1f points\n",
            k, sum[k, 5] / count[k], sum[k, 6] / count[k], sum[k, 7] / count[k]
    }' "$place/critical.md" | tr -s ' ' | sort
}
