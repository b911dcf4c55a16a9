//! The time of own code, by lines.

use super::*;

const MARKED: &str = "# unit: samples\n\
    main (src/t.c:9)_[o];find (src/t.c:3)_[o];find (src/t.c:3)_[o];memcmp_[l] 4\n\
    main (src/t.c:9)_[o];find (src/t.c:2)_[o] 2\n\
    main (src/t.c:9)_[o];printf (/usr/src/printf.c:7)_[l];write_[k] 3\n\
    start_thread_[l];futex_[k] 1\n";

#[test]
fn a_line_of_own_code_has_the_weight_of_what_it_calls() {
    let folder = folder();
    let output = run_in(folder.path(), &["--sort", "own", "-C", "0"], MARKED);
    let expected = "\
find  src/t.c  own 6 (60.00%)  total 6 (60.00%)
  calls memcmp (40.00%)
  own  total
    2      2  2  int find(struct tree *t, int k) {
    4      4  3          return less(t->k, k) ? find(t->r, k) : t->v;

main  src/t.c  own 3 (30.00%)  total 9 (90.00%)
  calls printf (30.00%)
  own  total
    3      9  9  int main(void) { return find(t, 1) + other(); }

2 of 2 functions, own 9 of 10 samples (90.00%)
";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let output = run_in(folder.path(), &["--sort", "own", "--tsv"], MARKED);
    let tsv = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(tsv.starts_with("function\tpath\tline\town\ttotal\ttext\n"), "{tsv}");
    assert!(tsv.contains("find\tsrc/t.c\t3\t4\t4\t"), "{tsv}");
    let output = run_in(folder.path(), &["--sort", "own", "--json", "-n", "1"], MARKED);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let listing = &json["listings"][0];
    assert_eq!((&listing["own"], &listing["self"]), (&json!(6), &Value::Null), "{json}");
}

#[test]
fn instructions_have_no_own_weight() {
    let refused = output("stack-source", &["--sort", "own", "--asm"], MARKED);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("expected no --asm"));
    assert_eq!(refused.status.code(), Some(2));
}
