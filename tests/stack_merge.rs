use crate::util::filter;

#[test]
fn equal_stacks_are_summed_and_sorted() {
    assert_eq!(filter("stack-merge", &[], "b;c 1\na 2\nb;c 3\n"), "a 2\nb;c 4\n");
}
