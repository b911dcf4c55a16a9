use crate::util::{TempFile, filter, output};

#[test]
fn equal_stacks_are_summed_and_sorted() {
    assert_eq!(filter("stack-merge", &[], "b;c 1\na 2\nb;c 3\n"), "a 2\nb;c 4\n");
}

#[test]
fn a_stack_that_would_be_a_comment_is_sorted_as_it_is_written() {
    // A control byte is read as a space.
    let merged = filter("stack-merge", &[], "a 1\n#\x10b;c 2\nB 3\n");
    assert_eq!(merged, "B 3\n\\# b;c 2\na 1\n");
    assert_eq!(filter("stack-merge", &[], &merged), merged);
}

#[test]
fn header_lines_are_kept_where_inputs_agree() {
    let [one, other] =
        ["# event: cycles\n# unit: samples\n# a comment\nmain 1\n", "# unit: samples\nmain 2\n"]
            .map(TempFile::new);
    let output = output("stack-merge", &[one.path(), other.path()], "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "# unit: samples\nmain 3\n");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "stack-merge: inputs differ in '# event:', it is left out: # event: cycles; none\n",
    );
}

#[test]
fn the_name_of_its_file_is_the_root_of_a_stack() {
    let [one, other] = ["main;a 1\nmain;a 2\n", "main;a 4\n"].map(TempFile::new);
    let args = ["--by-file", one.path(), "-", other.path()];
    let expected = format!("{};main;a 3\n{};main;a 4\n<stdin>;main 8\n", one.path(), other.path(),);
    assert_eq!(filter("stack-merge", &args, "main 8\n"), expected);
    let odd = std::env::temp_dir().join(format!("stack-merge;odd {}", std::process::id()));
    std::fs::write(&odd, "b 1\n").expect("a writable temporary folder");
    let path = odd.to_str().expect("UTF-8");
    let merged = filter("stack-merge", &["--by-file", path], "");
    std::fs::remove_file(&odd).expect("our file");
    assert_eq!(merged, format!("{};b 1\n", path.replace(';', ":")));
}

/// Labels in several orders, one line without any.
const LABELLED: &str = "\
tid=7\tsince=2.5\tcomm=a;b\tmain;f 1
comm=a;b\tsince=2.5\ttid=7\tmain;f 2
comm=\tmain;f 4
B=1\ttid=8\ttime=3\tmain;g 8
main;f 16
";

#[test]
fn lines_of_equal_labels_and_stacks_are_summed() {
    let expected = "\
comm=\tmain;f 4
main;f 16
since=2.5\tcomm=a;b\ttid=7\tmain;f 3
time=3\tB=1\ttid=8\tmain;g 8
";
    for args in [&[][..], &["--labels", "all"], &["--labels", "tid,since,B,comm,time"]] {
        assert_eq!(filter("stack-merge", args, LABELLED), expected, "{args:?}");
        assert_eq!(filter("stack-merge", args, expected), expected, "{args:?}");
    }
}

#[test]
fn only_the_labels_that_are_named_are_kept() {
    assert_eq!(filter("stack-merge", &["--labels", "none"], LABELLED), "main;f 23\nmain;g 8\n");
    let expected = "main;f 20\nsince=2.5\ttid=7\tmain;f 3\ntid=8\tmain;g 8\n";
    assert_eq!(filter("stack-merge", &["--labels", "tid,since"], LABELLED), expected);
    assert_eq!(filter("stack-merge", &["--labels", "ti"], LABELLED), "main;f 23\nmain;g 8\n");
    for keys in ["tid,", "a b", "", "9"] {
        let refused = output("stack-merge", &["--labels", keys], LABELLED);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("expected the key of a label, such as tid"), "{keys:?}: {said}");
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn the_value_of_a_label_is_the_root_of_a_stack() {
    let by = |args: &[&str]| filter("stack-merge", &[&["--by-label"], args].concat(), LABELLED);
    assert_eq!(
        by(&["comm"]),
        ";main;f 4\n\
         [no comm];main;f 16\n\
         since=2.5\ttid=7\ta:b;main;f 3\n\
         time=3\tB=1\ttid=8\t[no comm];main;g 8\n",
    );
    assert_eq!(
        by(&["comm", "--labels", "none"]),
        ";main;f 4\n[no comm];main;f 16\n[no comm];main;g 8\na:b;main;f 3\n",
    );
    assert_eq!(
        by(&["tid", "--labels", "comm"]),
        "8;main;g 8\n[no tid];main;f 16\ncomm=\t[no tid];main;f 4\ncomm=a;b\t7;main;f 3\n",
    );
}

#[test]
fn the_name_of_the_file_is_above_the_value_of_a_label() {
    let [one, other] = ["tid=7\tcomm=a\tmain 1\n", "comm=a\tmain 2\nmain 4\n"].map(TempFile::new);
    let merged = |more: &[&str]| {
        let args = [&["--by-file"], more, &[one.path(), other.path()]].concat();
        let merged = filter("stack-merge", &args, "");
        let merged = merged.replace(one.path(), "one").replace(other.path(), "other");
        // The order of the paths depends on their numbers.
        let mut lines: Vec<&str> = merged.split_inclusive('\n').collect();
        lines.sort_unstable();
        lines.concat()
    };
    assert_eq!(merged(&[]), "comm=a\tother;main 2\ncomm=a\ttid=7\tone;main 1\nother;main 4\n");
    assert_eq!(
        merged(&["--by-label", "comm", "--labels", "none"]),
        "[no comm];other;main 4\na;one;main 1\na;other;main 2\n",
    );
}

#[test]
fn a_sum_over_64_bits_is_named_with_its_labels() {
    let input = format!("tid=1\tmain;f {}\ntid=1\tmain;f 1\ntid=2\tmain;f 1\n", u64::MAX);
    for args in [&[][..], &["--labels", "tid"]] {
        let output = output("stack-merge", args, &input);
        let expected = format!("tid=1\tmain;f {}\ntid=2\tmain;f 1\n", u64::MAX);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "stack-merge: stack 'tid=1\\x09main;f': a sum over 18446744073709551615, \
             weight 1 left out\n",
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_function_keeps_the_line_in_which_it_weighs_most_or_none() {
    let stacks = "tid=1\tcomm=a;b\tmain (a.c:9)_[o];f (a.c:2)_[o];g (/lib/g.c:7)_[l] 5\n\
        tid=1\tcomm=a;b\tmain (a.c:8)_[o];f (a.c:3)_[o];g (/lib/g.c:8)_[l] 7\n\
        main (a.c:9)_[o];f (a.c:0)_[o];f (a.c:2)_[i] 9\n\
        main (b.c:1);f 1\n\
        main (a.js:5:12);f 1\n\
        main (a.c:9)_[o];g;lone (x.c:4)_[o];lone_[o] 3\n";
    for (which, expected) in [
        (
            "heaviest",
            "comm=a;b\ttid=1\tmain (a.c:9)_[o];f (a.c:2)_[o];g (/lib/g.c:8)_[l] 12\n\
             main (a.c:9)_[o];f (a.c:2)_[o];f (a.c:2)_[i] 9\n\
             main (a.c:9)_[o];g (/lib/g.c:8);lone (x.c:4)_[o];lone (x.c:4)_[o] 3\n\
             main (a.js:5:12);f (a.c:2) 1\n\
             main (b.c:1);f (a.c:2) 1\n",
        ),
        (
            "own",
            "comm=a;b\ttid=1\tmain (a.c:9)_[o];f (a.c:2)_[o];g_[l] 12\n\
             main (a.c:9)_[o];f (a.c:2)_[o];f_[i] 9\n\
             main (a.c:9)_[o];g;lone (x.c:4)_[o];lone (x.c:4)_[o] 3\n\
             main;f 2\n",
        ),
        (
            "none",
            "comm=a;b\ttid=1\tmain_[o];f_[o];g_[l] 12\nmain;f 2\nmain_[o];f_[o];f_[i] 9\n\
             main_[o];g;lone_[o];lone_[o] 3\n",
        ),
    ] {
        assert_eq!(filter("stack-merge", &["--lines", which], stacks), expected, "{which}");
        assert_eq!(filter("stack-merge", &["--lines", which], expected), expected, "{which}");
    }
    assert_eq!(filter("stack-merge", &["--lines", "all"], stacks).lines().count(), 6);
    // Two stacks that fit, and whose sum does not.
    let most = u64::MAX;
    let large = format!("f (a.c:1) {most}\nf (a.c:2) 1\n");
    let refused = output("stack-merge", &["--lines", "none"], &large);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("stack 'f': a sum over"), "{said}");
    assert_eq!(refused.status.code(), Some(2));
}
