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
