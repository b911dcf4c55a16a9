//! Source lines and their weights, compared with other programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::util::{TempFile, command, filter, output};

// A C++ program whose lines llvm-symbolizer found.
mod truth;

// Which of its code is its own.
mod own;
// The time of own code, by lines.
mod charged;
// Which files are read.
#[cfg(unix)]
mod reach;
// Instructions, as perf annotate shows them.
mod asm;
// Programs in several languages, read by other programs.
mod languages;

/// A program of three functions, one of them inlined, and one that calls itself.
const TREE: &str = "int less(int a, int b) { return a < b; }\n\
    int find(struct tree *t, int k) {\n\
    \treturn less(t->k, k) ? find(t->r, k) : t->v;\n\
    }\n\
    \n\
    int other(void) {\n\
    \treturn 0;\n\
    }\n\
    int main(void) { return find(t, 1) + other(); }\n";

const FOLDED: &str = "main (src/t.c:9);find (src/t.c:3);find (src/t.c:3);less (src/t.c:1)_[i] 4\n\
    main (src/t.c:9);find (src/t.c:3) 2\n\
    main (src/t.c:9);other (src/t.c:7) 1\n\
    main (src/t.c:9);find (src/t.c:0) 1\n\
    main (src/t.c:9);memcpy_[l] 2\n";

/// A folder with `src/t.c`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("src")).expect("a new folder");
    fs::write(folder.path().join("src/t.c"), TREE).expect("a new file");
    folder
}

/// The output of stack-source, run in a folder.
fn run_in(folder: &Path, args: &[&str], folded: &str) -> Output {
    let file = TempFile::new(folded);
    let mut tool = command("stack-source");
    tool.current_dir(folder).args(args).arg(file.path()).output().expect("it starts")
}

/// Its listing, if there are no messages.
fn listing(args: &[&str]) -> String {
    let output = run_in(folder().path(), args, FOLDED);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Without its last lines, which show how much is listed.
fn without_foot(listing: &str) -> &str {
    listing.rsplit_once("\n\n").map_or(listing, |(listing, _)| listing)
}

#[test]
fn the_heaviest_functions_are_listed_with_what_is_around_their_lines() {
    let expected = "less  src/t.c  self 4 (40.00%)  total 4 (40.00%)
  self  total
     4      4  1  int less(int a, int b) { return a < b; }
     .      .  2  int find(struct tree *t, int k) {
     .      .  3          return less(t->k, k) ? find(t->r, k) : t->v;
     .      .  4  }

find  src/t.c  self 3 (30.00%)  total 7 (70.00%)
  self  total
     1      1  0  [no line]
     .      .  1  int less(int a, int b) { return a < b; }
     .      .  2  int find(struct tree *t, int k) {
     2      6  3          return less(t->k, k) ? find(t->r, k) : t->v;
     .      .  4  }
     .      .  5
     .      .  6  int other(void) {

other  src/t.c  self 1 (10.00%)  total 1 (10.00%)
  self  total
     .      .  4  }
     .      .  5
     .      .  6  int other(void) {
     1      1  7          return 0;
     .      .  8  }
     .      .  9  int main(void) { return find(t, 1) + other(); }

3 of 4 functions, self 8 of 10 (80.00%)
no line is known of 1 function, self 2 (20.00%): first memcpy
";
    assert_eq!(listing(&[]), expected);
}

#[test]
fn functions_are_chosen_by_patterns_and_numbers() {
    let names = |args: &[&str]| -> String {
        let text = listing(args);
        let headings = text.lines().filter(|line| line.contains("  src/t.c  self "));
        headings.filter_map(|line| line.split(' ').next()).collect::<Vec<_>>().join(" ")
    };
    for (args, expected) in [
        (&["-e", "^f", "-e", "other\nless"][..], "less find other"),
        (&["-i", "-e", "^F"], "find"),
        (&["-w", "-e", "fin"], ""),
        (&["-F", "-e", "f.nd|less"], ""),
        (&["-n", "1"], "less"),
        (&["-n", "1", "-e", "i"], "find"),
        (&["-n", "0"], "less find other main"),
        (&["-n", "2", "--sort", "total"], "main find"),
    ] {
        if expected.is_empty() {
            let output = run_in(folder().path(), args, FOLDED);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(said, "stack-source: no function matches\n", "{args:?}");
            assert_eq!((output.stdout.len(), output.status.code()), (0, Some(1)), "{args:?}");
        } else {
            assert_eq!(names(args), expected, "{args:?}");
        }
    }
}

#[test]
fn functions_that_only_call_others_are_listed_if_they_are_asked_for() {
    let folded = "main (src/t.c:9);find (src/t.c:3) 2\n";
    for (args, expected) in [
        (&[][..], "1 of 2 functions, self 2 of 2 (100.00%)\n"),
        (&["-n", "3"], "2 of 2 functions, self 2 of 2 (100.00%)\n"),
        (&["--sort", "total"], "2 of 2 functions, self 2 of 2 (100.00%)\n"),
    ] {
        let output = run_in(folder().path(), args, folded);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(text.rsplit_once("\n\n").expect("a foot").1, expected, "{args:?}");
    }
    let above = run_in(folder().path(), &[], "main (src/t.c:9);memcpy_[l] 2\n").stdout;
    assert!(above.starts_with(b"main  src/t.c  self 0 (0.00%)"), "{}", above.escape_ascii());
}

#[test]
fn a_whole_file_has_the_lines_of_all_its_functions() {
    let expected = "src/t.c  self 8 (80.00%)  total 10 (100.00%)
  self  total
     1      1  0  [no line]
     4      4  1  int less(int a, int b) { return a < b; }
     .      .  2  int find(struct tree *t, int k) {
     2      6  3          return less(t->k, k) ? find(t->r, k) : t->v;
     .      .  4  }
     .      .  5
     .      .  6  int other(void) {
     1      1  7          return 0;
     .      .  8  }
     .     10  9  int main(void) { return find(t, 1) + other(); }

1 of 1 files, self 8 of 10 (80.00%)
";
    assert_eq!(listing(&["--path", "t\\.c$"]), expected);
    let few = listing(&["--path", "t\\.c$", "-C", "0"]);
    let gap = "\n     2      6  3          return less(t->k, k) ? find(t->r, k) : t->v;\n               \u{2026}\n";
    assert!(few.contains(gap), "{few}");
}

#[test]
fn a_pull_request_gets_markdown() {
    let expected = "**`other`** in `src/t.c`: self 1 (10.00%), total 1 (10.00%)

```text
  self  total
     1      1  7          return 0;
```";
    assert_eq!(without_foot(&listing(&["--markdown", "-e", "other", "-C", "0"])), expected);
}

#[test]
fn programs_get_a_table_or_json() {
    let tsv = "function\tpath\tline\tself\ttotal\ttext\n\
        less\tsrc/t.c\t1\t4\t4\tint less(int a, int b) { return a < b; }\n\
        find\tsrc/t.c\t0\t1\t1\t\n\
        find\tsrc/t.c\t3\t2\t6\t return less(t->k, k) ? find(t->r, k) : t->v;\n\
        memcpy\t\t0\t2\t2\t\n\
        other\tsrc/t.c\t7\t1\t1\t return 0;\n\
        main\tsrc/t.c\t9\t0\t10\tint main(void) { return find(t, 1) + other(); }\n";
    assert_eq!(listing(&["--tsv"]), tsv);
    let found: Value =
        serde_json::from_str(&listing(&["--json", "-e", "^(other|memcpy)$"])).expect("JSON");
    let other = json!({
        "function": "other", "path": "src/t.c", "source": "src/t.c", "self": 1, "total": 1,
        "lines": [{"line": 7, "self": 1, "total": 1, "text": "\treturn 0;"}],
    });
    let memcpy = json!({
        "function": "memcpy", "path": "", "source": null, "self": 2, "total": 2,
        "lines": [{"line": 0, "self": 2, "total": 2, "text": null}],
    });
    assert_eq!(
        found,
        json!({
            "unit": null, "total": 10, "trust": null, "all_listings": 2, "listings": [memcpy, other],
        })
    );
}

#[test]
fn sources_are_found_elsewhere_or_the_message_says_what_helps() {
    let folder = folder();
    let folded = "main (/build/7/src/t.c:9) 1\nmain (/build/7/src/gone.c:3) 1\n";
    let text = "     1      1  9  int main(void) { return find(t, 1) + other(); }\n";
    let gone =
        "stack-source: no source of /build/7/src/gone.c: --source-path DIR says where it is\n";
    for (args, is_found) in [
        (&["--source-path", "src"][..], true),
        (&["--source-path", ".", "--source-path", "/nowhere"], true),
        (&["--trim-path", "/build/7"], true),
        (&["--trim-path", "/build/", "--source-path", "."], true),
        (&["--trim-path", "/build/70"], false),
        (&[], false),
    ] {
        let output = run_in(folder.path(), &[&["-C", "0"], args].concat(), folded);
        let [out, said] =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8"));
        assert_eq!(out.contains(text), is_found, "{args:?}: {out}");
        assert!(out.contains("\n     1      1  3\n"), "{args:?}: {out}");
        let both = "stack-source: no source of /build/7/src/gone.c and of 1 other file: --source-path \
                    DIR says where it is\n";
        assert_eq!(said, if is_found { gone } else { both }, "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn stacks_without_places_are_counted_and_the_answer_says_what_helps() {
    let expected = "0 of 0 functions, self 0 of 3 (0.00%)\n\
        no line is known of 2 functions, self 3 (100.00%): first b\n\
        no frame has a place: 'stack-parse --srcline' appends ' (file:line)' to names\n";
    assert_eq!(filter("stack-source", &[], "a;b 2\na 1\n"), expected);
    let output = output("stack-source", &["--tsv"], "a;b 2\na 1\n");
    let tsv = "function\tpath\tline\tself\ttotal\ttext\nb\t\t0\t2\t2\t\na\t\t0\t1\t3\t\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), tsv);
    let said = "stack-source: no frame has a place: 'stack-parse --srcline' appends ' (file:line)' to names\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), said);
}

#[test]
fn colour_shows_what_is_hot() {
    let colored = listing(&["--color", "-n", "1", "-C", "0"]);
    let expected = "\x1b[1mless\x1b[0m  src/t.c  self 4 (40.00%)  total 4 (40.00%)\n  self  total\n  \
        \x1b[38;5;231;48;5;52m   4\x1b[0m  \x1b[38;5;231;48;5;52m    4\x1b[0m  1  int less(int a, int b) \
        { return a < b; }";
    assert_eq!(without_foot(&colored), expected);
    for args in [&["--color=never"][..], &["--color=auto"], &["--color=always", "--tsv"]] {
        assert!(!listing(args).contains('\x1b'), "{args:?}");
    }
}

#[test]
fn demangled_stacks_keep_their_places() {
    let mangled = "_ZN5space6doubleEi (a b.cpp:7)_[i];camlDb__get_12 (db.ml:3) 2\n";
    let demangled = filter("stack-demangle", &[], mangled);
    assert_eq!(demangled, "space::double(int) (a b.cpp:7)_[i];Db.get (db.ml:3) 2\n");
    let stats = output("stack-source", &["--stats", "-n", "1"], demangled);
    let said = String::from_utf8_lossy(&stats.stderr).into_owned();
    assert!(said.contains("in 1 lines weight 2, out 1 lines weight 2"), "{said}");
}

/// The output of a program, if it succeeds.
fn printed(program: &mut Command) -> String {
    let output = program.output().expect("it starts");
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
