use crate::util::{TempFile, filter, output};

#[test]
fn equal_stacks_are_summed_and_sorted() {
    assert_eq!(filter("stack-merge", &[], "b;c 1\na 2\nb;c 3\n"), "a 2\nb;c 4\n");
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
