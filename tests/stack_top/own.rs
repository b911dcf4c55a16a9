//! The time of own code.

use super::*;

const MARKED: &str = "# unit: samples\n\
    main (src/a.c:9)_[o];append (src/a.c:2)_[o]_[i];fdatasync_[l];vfs_fsync_[k] 50\n\
    main (src/a.c:9)_[o];append (src/a.c:3)_[o]_[i];write_[l] 20\n\
    main (src/a.c:9)_[o];append (src/a.c:2)_[o]_[i] 8\n\
    start_thread_[l];futex_[k] 15\n\
    main (src/a.c:7)_[o];memcpy_[l] 7\n";

#[test]
fn a_stack_belongs_to_its_deepest_own_frame() {
    let table = filter("stack-top", &["--sort", "own"], MARKED);
    let expected = "\
OWN    OWN%  TOTAL  TOTAL%  FUNCTION
 78  78.00%     78  78.00%  append
                              a.c:2 (58.00%), :3 (20.00%), calls fdatasync (50.00%), write (20.00%)
  7   7.00%     85  85.00%  main
                              a.c:7 (7.00%), calls memcpy (7.00%)
 15  15.00%     15  15.00%  [not own]
2 of 2 functions of own code, 85 of 100 samples (85.00%)
";
    assert_eq!(table, expected);
    let tsv = filter("stack-top", &["--sort", "own", "--tsv"], MARKED);
    let expected = "\
function\town\tself\ttotal\tline\tcalls
append\t78\t8\t78\tsrc/a.c:2\tfdatasync
main\t7\t0\t85\tsrc/a.c:7\tmemcpy
[not own]\t15\t0\t15\t\t
";
    assert_eq!(tsv, expected);
    let json = filter("stack-top", &["--sort", "own", "--json", "-n", "1"], MARKED);
    let mut json: Value = serde_json::from_str(&json).expect("JSON");
    let trust = json["trust"].take();
    assert_eq!((&trust["samples"], &trust["order"]), (&100.into(), &"good".into()));
    let expected = serde_json::json!({
        "unit": "samples",
        "total": 100,
        "trust": null,
        "ranked": "own code",
        "all_rows": 3,
        "rows": [
            {
                "function": "append",
                "own": 78,
                "self": 8,
                "total": 78,
                "lines": [{"line": "src/a.c:2", "own": 58}, {"line": "src/a.c:3", "own": 20}],
                "calls": [{"function": "fdatasync", "own": 50}, {"function": "write", "own": 20}],
                "callers": [{"function": "main (src/a.c:9)", "own": 78}],
            },
            {"function": "[not own]", "own": 15, "self": 0, "total": 15, "lines": [], "calls": [], "callers": []},
        ],
    });
    assert_eq!(json, expected);
}

#[test]
fn rows_may_be_lines_files_and_modules() {
    for (by, expected) in [
        ("line", "src/a.c:2\t58\t8\t58\tsrc/a.c:2\tfdatasync\n"),
        ("file", "src/a.c\t85\t8\t85\tsrc/a.c:2\tfdatasync\n"),
        ("module", "[no module]\t85\t"),
    ] {
        let tsv = filter("stack-top", &["--sort", "own", "--tsv", "--by", by], MARKED);
        assert!(tsv.contains(expected), "{tsv}");
    }
    for args in [&["--by", "leaf"][..], &["--by", "root"], &["--split", "root"]] {
        let refused = output("stack-top", &[&["--sort", "own"], args].concat(), MARKED);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("'stack-collapse-frames --charge-own' before it"), "{said}");
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn it_is_said_where_no_code_is_known_to_be_own() {
    for (stacks, said, row) in [
        ("main;parse;std::sort 3\n", "what may be own is ranked", "parse\t3\t0\t3\t\tstd::sort\n"),
        ("std::sort 3\n", "libraries are ranked", "std::sort\t3\t3\t3\t\t\n"),
    ] {
        let output = output("stack-top", &["--sort", "own", "--tsv"], stacks);
        let note = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(note.contains(said), "{note}");
        assert!(String::from_utf8_lossy(&output.stdout).ends_with(row));
    }
}

#[test]
fn the_weights_are_those_of_the_filter_that_leaves_own_code_only() {
    for path in
        ["formats/perf-script/treegc-4.13.1-fp.gz", "formats/perf-script/treegc-4.13.1-dwarf.gz"]
    {
        let args = ["--annotate", "--srcline", "--inlined", "keep"];
        // What it says is about files that are not here.
        let folded = output("stack-parse", &args, recording(path)).stdout;
        let own = filter("stack-top", &["--sort", "own", "--tsv"], &folded);
        let charged = filter("stack-collapse-frames", &["--charge-own"], &folded);
        let selves = filter("stack-top", &["--tsv"], charged);
        let column = |tsv: &str| -> BTreeMap<String, u64> {
            let fields = |line: &str| {
                let fields: Vec<&str> = line.split('\t').collect();
                (fields[0].to_owned(), fields[1].parse().expect("a number"))
            };
            tsv.lines().skip(1).map(fields).filter(|(_, weight)| *weight > 0).collect()
        };
        assert_eq!(column(&own), column(&selves), "{path}");
        assert!(column(&own).len() > 5, "{own}");
    }
}
