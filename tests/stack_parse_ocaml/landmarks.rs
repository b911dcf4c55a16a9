//! Call trees of OCaml's landmarks.

use proptest::prelude::*;

use crate::util::{few_cases, filter, output, recording, weight};

#[test]
fn a_call_tree_is_folded_by_what_each_call_took_itself() {
    let tree = recording("formats/landmarks/demo.json.gz");
    let cycles = "ROOT 61732\nROOT;eval 1806152\nROOT;eval;parse 758304\nROOT;parse 2599918\n";
    assert_eq!(filter("stack-parse", &[], &tree), cycles);
    assert_eq!(weight(cycles.as_bytes()), 5_226_106);
    assert_eq!(
        filter("stack-parse", &["--event", "bytes"], &tree),
        "ROOT 47320\nROOT;eval 528\nROOT;eval;parse 417104\nROOT;parse 336752\n",
    );
    let named = filter("stack-parse", &["--srcline"], &tree);
    assert!(named.contains(";eval (app/demo.ml:2);parse (app/demo.ml:1) 758304\n"), "{named}");
}

#[test]
fn a_call_tree_in_text_is_read_as_far_as_it_goes() {
    let text = recording("formats/landmarks-text/demo.txt.gz");
    let output = output("stack-parse", &[], &text);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "ROOT 60000\nROOT;eval 2028580\nROOT;eval;parse 771420\nROOT;parse 2610000\n",
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-parse: <stdin>: landmarks' text has three digits of each figure and no small nodes: \
         OCAML_LANDMARKS=format=json keeps all\n",
    );
}

#[test]
fn call_trees_of_threads_and_lines_between_them() {
    let text = "hello 1\nCall graph:\n-----------\n\
        [   12.00  cycles in 1 calls ]     - 60.00% : f;g\n\
        [    5.00  cycles in 1 calls ]     |   - 40.00% : h\n\
        [    9.00  cycles in 1 calls ]     |   |   |   |   - 40.00% : lost\n\
        Call graph 'thread':\n--------------------\n\
        [    1.00K cycles in 1 calls ]     - 60.00% : f;g\n";
    let output = output("stack-parse", &[], text);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ROOT;f:g 1007\nROOT;f:g;h 5\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("<stdin>:6: expected a call of landmarks below its caller"),
        "{stderr}"
    );
}

#[test]
fn odd_call_trees_are_reported() {
    let node = |name: &str, time: &str, children: &str| {
        format!(
            r#"{{"landmark_id": "{name}", "name": "{name}", "time": {time}, "children": {children}}}"#
        )
    };
    let graph =
        |nodes: &[String]| format!(r#"{{"nodes": [{}], "label": "", "root": 0}}"#, nodes.join(","));
    for (nodes, folded, said) in [
        (vec![node(r"caf\195\169;\233", "7.4", "[]")], &b"caf\xc3\xa9:\xe9 7\n"[..], ""),
        (vec![node("", "7.5", "[]")], b"[no name] 8\n", ""),
        (
            vec![node("a", "7", "[1]"), node("b", "9", "[]")],
            b"a;b 9\n",
            "callees took 2 more than their callers",
        ),
        (
            vec![node("a", "7", "[0, 5]"), node("b", "9", "[]")],
            b"a 7\n",
            "expected a tree: 2 callees are missing or have other callers, too; 1 nodes have no caller",
        ),
        (vec![], b"", "expected a tree: 1 callees are missing"),
        (vec![node("a", "nan", "[]")], b"", "expected landmarks' JSON: expected ident at line 1"),
    ] {
        let output = output("stack-parse", &["-f", "landmarks"], graph(&nodes));
        assert_eq!(output.stdout, folded, "{nodes:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(said), "{nodes:?}: {stderr}");
    }
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn damaged_call_trees_never_panic(at in 0usize..1394, byte in any::<u8>(), format in 0usize..2) {
        let name = ["formats/landmarks/demo.json.gz", "formats/landmarks-text/demo.txt.gz"][format];
        let mut tree = recording(name);
        let at = at % tree.len();
        tree[at] = byte;
        let args = ["-f", ["landmarks", "landmarks-text"][format]];
        let code = output("stack-parse", &args, tree).status.code();
        prop_assert!(matches!(code, Some(0..=2)), "{:?}", code);
    }
}
