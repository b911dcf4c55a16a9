//! Names that belong to one function: copies, numbers, and roots that name the run.

use super::{diff, rows, stderr, stdout};
use crate::util::TempFile;

/// Lines of a program with the root `root`, and `encode` as one function's name.
fn profile(root: &str, encode: &str) -> TempFile {
    TempFile::new(format!(
        "{root};main;{encode} 4000\n{root};main;{encode};copy 1000\n{root};main;read 5000\n"
    ))
}

#[test]
fn roots_that_name_the_run_are_one_function() {
    for (one, other) in [("old", "new"), ("sleep-31192", "sleep-31200")] {
        let (before, after) = (profile(one, "encode"), profile(other, "encode"));
        let found = diff(before.path(), after.path(), &["--fail-over", "2%"]);
        assert_eq!(found.status.code(), Some(0), "{found:?}");
        assert!(stdout(&found).contains("; 0 of 5 functions changed"), "{found:?}");
        let said = format!(
            "stack-diff: the roots {one} before and {other} after name the runs and are compared \
             as one: --exact-functions tells them apart\n"
        );
        assert!(stderr(&found).starts_with(&said), "{found:?}");
        let exact = ["--exact-functions", "--fail-over", "2%", "--tsv"];
        let found = diff(before.path(), after.path(), &exact);
        assert_eq!(found.status.code(), Some(1));
        let listed: Vec<String> = rows(&found).iter().map(|row| row.function.clone()).collect();
        assert!(listed.contains(&other.to_owned()), "{listed:?}");
        // The picture has one root, too.
        let pairs = stdout(&diff(before.path(), after.path(), &["--folded"]));
        assert_eq!(pairs.lines().next(), Some(&*format!("{other};main;encode 4000 4000")));
        let pairs = stdout(&diff(before.path(), after.path(), &["--folded", "--exact-functions"]));
        assert_eq!(pairs.lines().count(), 6);
    }
}

#[test]
fn several_runs_may_have_a_root_each() {
    let run = |root: &str| profile(root, "encode");
    let (before, after) = (["app-1", "app-2"].map(run), ["app-3", "app-4"].map(run));
    let path = TempFile::path;
    let args = ["--before", path(&before[0]), path(&before[1])];
    let args = [&args[..], &["--after", path(&after[0]), path(&after[1])]].concat();
    let found = crate::util::output("stack-diff", &args, "");
    assert!(stdout(&found).contains("; 0 of 5 functions changed"), "{found:?}");
    assert!(
        stderr(&found).contains("the roots app-1, app-2 before and app-3, app-4 after name"),
        "{found:?}"
    );
}

#[test]
fn a_root_that_is_a_function_elsewhere_names_no_run() {
    let before = TempFile::new("old;main;new 9000\nold;main 1000\n");
    let after = TempFile::new("new;main 9000\nnew;read 1000\n");
    let found = diff(before.path(), after.path(), &["--tsv"]);
    assert_eq!(stderr(&found), "");
    assert!(rows(&found).iter().any(|row| row.function == "old"), "{found:?}");
    // A root with less than half of the weight does not name the run.
    let before = TempFile::new("a;main 400\nb;main 600\nc;main 400\n");
    let after = TempFile::new("d;main 400\ne;main 600\nf;main 400\n");
    assert_eq!(stderr(&diff(before.path(), after.path(), &[])), "");
}

#[test]
fn copies_of_a_function_are_one() {
    for (one, other) in [
        ("EncodeTree", "EncodeTree.constprop.0"),
        ("f.isra.0.cold", "f.part.1"),
        ("work.llvm.123", "work"),
        ("Main.serve.(fun/826)", "Main.serve.(fun/831)"),
        ("Foo$$Lambda$12/0x00007f9b78000a08.run", "Foo$$Lambda$14/0x00007f9b78000c10.run"),
        ("core::fmt::write::h0123456789abcdef", "core::fmt::write::hfedcba9876543210"),
        ("encode (a.c:12)", "encode (/src/a.c:14)_[i]"),
    ] {
        let (before, after) = (profile("app", one), profile("app", other));
        let found = diff(before.path(), after.path(), &["--fail-over", "5%"]);
        assert_eq!((found.status.code(), stderr(&found)), (Some(0), String::new()), "{one}");
        assert!(stdout(&found).contains("; 0 of 5 functions changed"), "{one}: {found:?}");
        let pairs = stdout(&diff(before.path(), after.path(), &["--folded"]));
        assert_eq!(pairs.lines().count(), 3, "{pairs}");
    }
    let (before, after) = (profile("app", "f"), profile("app", "f.cold"));
    let exact = ["--exact-functions", "--fail-over", "2%"];
    assert_eq!(diff(before.path(), after.path(), &exact).status.code(), Some(1));
}
