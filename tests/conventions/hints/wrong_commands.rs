//! Commands as people type them who know perf, pprof, FlameGraph and grep.

use std::fs;
use std::path::PathBuf;

use crate::util::{EXECUTABLE, TOOLS, recording, tool};

/// A command, and what the answer must contain. `perf.data`, `app.svg`, `app.folded` and an
/// executable `app` are there.
const WRONG: &[(&str, &str)] = &[
    // perf report
    ("stack-top -g app.folded", "use '--tree'"),
    ("stack-top --no-children app.folded", "use '--sort self'"),
    ("stack-top --children app.folded", "use '--sort total'"),
    ("stack-top --comm app app.folded", "'stack-parse --root comm'"),
    ("stack-top --sort dso app.folded", "use '--by module'"),
    ("stack-top --sort=comm,dso,sym app.folded", "use '--by root'"),
    ("stack-top --percent-limit 1 app.folded", "'-n NUMBER'"),
    ("stack-top --stdio app.folded", "leave it out"),
    ("stack-top --limit 10 app.folded", "'-n NUMBER'"),
    ("stack-top -G app.folded", "use '--callers PATTERN'"),
    ("stack-top --dso libc.so.6 app.folded", "'--by module'"),
    ("stack-svg --threshold 1 app.folded", "'--min-width SHARE%'"),
    ("stack-svg --time 1,2 app.folded", "'stack-parse --from SECONDS --to SECONDS'"),
    ("stack-grep --comm app app.folded", "'--label KEY=PATTERN'"),
    ("stack-parse --time 1,2 perf.data", "use '--from SECONDS' and '--to SECONDS'"),
    ("stack-parse --comm app perf.data", "use '--root comm'"),
    ("stack-parse --no-inline perf.data", "use '--inlined drop'"),
    ("stack-parse -F comm,ip perf.data", "'--labels KEY,...'"),
    ("stack-parse -i perf.data", "'stack-parse FILE'"),
    ("stack-parse -g perf.data", "leave it out"),
    ("stack-parse report", "'stack-top'"),
    ("stack-parse script -i", "give the file without an option"),
    ("stack-parse annotate", "'stack-source'"),
    // pprof
    ("stack-top -top app.folded", "'stack-top'"),
    ("stack-top -cum app.folded", "use '--sort total'"),
    ("stack-top -nodecount=10 app.folded", "use '-n NUMBER'"),
    ("stack-top -list=main app.folded", "'stack-source -e PATTERN'"),
    ("stack-top -peek main app.folded", "'--callers PATTERN'"),
    ("stack-top -focus=main app.folded", "'stack-grep PATTERN'"),
    ("stack-grep -focus=main app.folded", "give the PATTERN"),
    ("stack-grep -ignore=main app.folded", "use '-v'"),
    ("stack-svg -http=:8080 app.folded", "'stack-svg'"),
    ("stack-svg -hide=main app.folded", "'stack-collapse-frames --drop RE'"),
    ("stack-diff -diff_base=app.folded app.folded", "'stack-diff BEFORE AFTER'"),
    ("stack-parse -sample_index=alloc_space app.folded", "use '--event GLOB'"),
    ("stack-parse -raw app.folded", "'--per-sample'"),
    ("stack-merge -tagroot=tid app.folded", "'stack-merge --by-label KEY'"),
    ("stack-reverse -traces app.folded", "'stack-parse --per-sample'"),
    // FlameGraph and inferno
    ("stack-svg --notes x app.folded", "use '--subtitle TEXT'"),
    ("stack-svg --hash app.folded", "leave it out: a name has the same colour"),
    ("stack-svg --bgcolors grey app.folded", "use '--theme light'"),
    ("stack-svg --negate app.folded", "use '--diff'"),
    ("stack-svg --nametype Frame: app.folded", "'--unit WORD'"),
    ("stack-svg --factor 2 app.folded", "'--unit WORD'"),
    ("stack-svg --icicle app.folded", "use '--inverted'"),
    ("stack-parse --kernel perf.data", "use '--annotate'"),
    ("stack-parse --event-filter=cycles perf.data", "use '--event GLOB'"),
    ("stack-parse --pid perf.data", "use '--root pid'"),
    ("stack-top --minwidth 1 app.folded", "'stack-svg'"),
    ("stack-diff -n app.folded app.folded", "leave it out"),
    ("stack-svg flamegraph.pl", "'stack-svg'"),
    ("stack-merge stackcollapse-perf.pl", "'stack-parse'"),
    // grep, sort, uniq, c++filt
    ("stack-grep -x main app.folded", "'^PATTERN$'"),
    ("stack-grep -P main app.folded", "leave it out"),
    ("stack-grep -A 2 main app.folded", "'stack-top --callers PATTERN'"),
    ("stack-grep -o main app.folded", "'stack-collapse-frames --drop RE'"),
    ("stack-grep -r main .", "give the files"),
    ("stack-merge -c app.folded", "equal stacks are summed"),
    ("stack-merge -n app.folded", "'stack-top'"),
    ("stack-demangle _ZN3foo3barEv", "'stack-demangle --names'"),
    ("stack-demangle -p app.folded", "use '--no-args'"),
    // values
    ("stack-export --to perfetto app.folded", "use '--to chrome'"),
    ("stack-export --to trace app.folded", "use '--to chrome'"),
    ("stack-export --to svg app.folded", "'stack-svg'"),
    ("stack-export --to protobuf app.folded", "use '--to pprof'"),
    ("stack-export --to csv app.folded", "use '--to tsv'"),
    ("stack-parse -f perf perf.data", "use '--format perf-data'"),
    ("stack-parse --format json perf.data", "'--detect'"),
    ("stack-parse --root thread perf.data", "use '--root tid'"),
    ("stack-top --by dso app.folded", "use '--by module'"),
    ("stack-svg --colors ocaml app.folded", "use '--colors kind'"),
    ("stack-collapse-frames --preset python app.folded", "use '--preset cpython'"),
    // what records
    ("stack-flame -g ./app", "use '--call-graph KIND'"),
    ("stack-flame record ./app", "'stack-flame PROG'"),
    ("stack-flame --rate 99 ./app", "use '--freq HZ'"),
    ("stack-flame missing.data", "no such program in PATH"),
    ("stack-flame report ./app", "use '--text' for a table"),
    // files that are no stacks
    (
        "stack-top perf.data",
        "it is perf-data, not folded stacks: stack-parse perf.data | stack-top",
    ),
    ("stack-svg app.svg", "it is svg, not folded stacks: stack-parse app.svg | stack-svg"),
    ("stack-merge app", "it looks like an executable: stack-symbols lists its functions"),
    ("stack-symbols perf.data", "found perf-data, which stack-parse reads"),
];

#[test]
fn wrong_commands_are_answered_by_what_does_it_here() {
    assert!(WRONG.len() >= 40);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("wrong-commands");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a writable folder");
    let perf_data = recording("formats/perf-data/dwarf-deep-8k.perf.data.gz");
    for name in ["perf.data", "other.data"] {
        fs::write(folder.join(name), &perf_data).expect("a writable folder");
    }
    fs::write(folder.join("app.svg"), recording("formats/svg/inferno.svg.gz")).expect("a picture");
    fs::write(folder.join("app.folded"), "main;work 3\nmain 1\n").expect("stacks");
    fs::copy(EXECUTABLE, folder.join("app")).expect("a program");
    for (command, expected) in WRONG {
        let words: Vec<&str> = command.split(' ').collect();
        let output =
            tool(words[0]).args(&words[1..]).current_dir(&folder).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(expected), "{command}: {expected}\n{stderr}");
        let is_program = words[0] == "stack-flame" && !words[1].starts_with('-');
        let status = if is_program { 127 } else { crate::util::trouble(words[0]) };
        assert_eq!(output.status.code(), Some(status), "{command}\n{stderr}");
    }
    // Every tool has users who know others.
    for (name, _) in TOOLS.iter().filter(|(name, _)| *name != "stack-view") {
        let option = if *name == "stack-top" { "--bgcolors" } else { "-nodecount" };
        let stderr = tool(name).arg(option).output().expect("it starts").stderr;
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(stderr.contains("tip: '"), "{name}: {stderr}");
    }
}
