//! Names made to break a filter: whatever the name and the options, a frame with a name must keep
//! one.

use proptest::prelude::*;

use crate::util::{TempFile, few_cases, output, weight};

/// Parts of names that filters look for, and parts that may be left without them.
const PIECES: [&[u8]; 46] = [
    b"a",
    b"B",
    b" ",
    b".",
    b"_",
    b"$",
    b"::",
    b"<",
    b">",
    b"<a>",
    b"::<a>",
    b"(",
    b")",
    b"()",
    b"[",
    b"]",
    b"{",
    b"}",
    b"->",
    b"operator",
    b" const",
    b".cold",
    b".isra.0",
    b" [clone .cold]",
    b" (.cold)",
    b"::h0123456789abcdef",
    b"[0123456789abcdef]::",
    b"$$Lambda$12/0x00007f9b",
    b"$Proxy1",
    b"JS:*",
    b"_[k]",
    b"+0x1f",
    b"@plt",
    b"@@GLIBC_2.3",
    b" (a.c:1)",
    b"`",
    b"!",
    b"_Z",
    b"_ZN1aE",
    b"17h0123456789abcdefE",
    b"_RNvC1a1b",
    b"_CamlU",
    b"camlA__",
    b"_12",
    b"\xff",
    b"\x01",
];

/// Filters with options that shorten names or remove frames. `[a-z]` and similar patterns leave
/// some frames of a stack, so that both cases occur.
const FILTERS: [&[&str]; 23] = [
    &["stack-demangle"],
    &["stack-demangle", "--no-templates"],
    &["stack-demangle", "--no-args"],
    &["stack-demangle", "--normalize"],
    &["stack-demangle", "--no-args", "--no-templates", "--normalize"],
    &["stack-demangle", "--stamps", "drop", "--ocaml"],
    &["stack-demangle", "--stamps", "auto", "--no-templates"],
    &["stack-demangle", "--stamps", "keep", "--rust", "--cpp", "--no-args"],
    &["stack-collapse-frames", "--drop", "."],
    &["stack-collapse-frames", "--drop", "[a-z]", "--drop", "^."],
    &["stack-collapse-frames", "--merge", "[a-z]= ", "--below", "[A-Z]=;"],
    &["stack-collapse-frames", "--reroot", "."],
    &["stack-collapse-frames", "--reroot", "[a-z]", "--merge", ".=\n"],
    &["stack-collapse-frames", "--lwt", "entries"],
    &["stack-collapse-frames", "--preset", "jvm", "--preset", "kernel"],
    &["stack-fold-towers"],
    &["stack-fold-towers", "--count"],
    &["stack-fold-towers", "--erase", "--count"],
    &["stack-fold-towers", "--ignore-stamps", "--exact"],
    &["stack-fold-towers", "--reattach=2", "--count"],
    &["stack-grep", "."],
    &["stack-grep", "--under", ".", ""],
    &["stack-merge"],
];

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..4)
        .prop_map(|pieces| pieces.concat())
}

/// Folded lines in which every frame has a name.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let stack = prop::collection::vec(name(), 1..5).prop_map(|frames| frames.join(&b';'));
    prop::collection::vec(stack, 300..1000).prop_map(|stacks| {
        stacks.into_iter().flat_map(|stack| [&stack[..], b" 1\n"].concat()).collect()
    })
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn no_filter_takes_the_name_of_a_frame(input in lines()) {
        for filter in FILTERS {
            let out = output(filter[0], &filter[1..], &input).stdout;
            for line in out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                let stack = line.rsplitn(2, |&byte| byte == b' ').nth(1).unwrap_or_default();
                let shown = line.escape_ascii();
                prop_assert!(!stack.is_empty(), "{filter:?} leaves a count alone");
                prop_assert!(
                    stack.split(|&byte| byte == b';').all(|frame| !frame.is_empty()),
                    "{filter:?} makes an empty frame: {shown}"
                );
            }
            if filter[0] != "stack-grep" {
                prop_assert_eq!(weight(&out), weight(&input), "{:?}", filter);
            }
        }
    }
}

/// A control character of terminals, one that reverses the direction of text, and one more that
/// changes it.
const HOSTILE: &str = "\u{9b}31m\u{202e}\u{61c}";

#[test]
fn nothing_that_changes_a_terminal_is_printed_for_people() {
    let folded =
        |weight| [format!("m;{HOSTILE};{HOSTILE}").as_bytes(), b"\xff;g ", weight].concat();
    let [before, after] =
        [b"9000\nm;g 9000\n", b"90000\nm;g 900\n"].map(|it| TempFile::new(folded(it)));
    let twice = format!("m;{HOSTILE};{HOSTILE};g 5\n");
    let unit = [b"# unit: ".as_slice(), HOSTILE.as_bytes(), b"\n", twice.as_bytes()].concat();
    let many = format!("m;{HOSTILE} 18446744073709551615\nm;{HOSTILE} 1\n");
    let places = format!("m ({HOSTILE}.c:1);{HOSTILE} ({HOSTILE}.c:7) 5\n");
    let cases: [(&[&str], &[u8]); 18] = [
        (&["stack-source"], places.as_bytes()),
        (&["stack-source", "--markdown", "-e", HOSTILE], places.as_bytes()),
        (&["stack-source", "-e", &format!("{HOSTILE}(")], b"a 1\n"),
        (&["stack-top"], twice.as_bytes()),
        (&["stack-top"], &unit),
        (&["stack-top", "--tree"], twice.as_bytes()),
        (&["stack-top", "--tree", "--under", HOSTILE], twice.as_bytes()),
        (&["stack-top", "--tree", "--under", HOSTILE], b"a 1\n"),
        (&["stack-top", "--draw"], twice.as_bytes()),
        (&["stack-top", "--callers", "g"], twice.as_bytes()),
        (&["stack-top", "--callers", HOSTILE], b"a 1\n"),
        (&["stack-diff", "--all", before.path(), after.path()], b""),
        (&["stack-diff", "--all", "--markdown", before.path(), after.path()], b""),
        (&["stack-fold-towers", "--report"], twice.as_bytes()),
        (&["stack-merge"], many.as_bytes()),
        (&["stack-grep", &format!("{HOSTILE}(")], b"a 1\n"),
        (&["stack-grep", "a", HOSTILE], b""),
        (&["stack-collapse-frames", "--stats", "--drop", HOSTILE], b"a 1\n"),
    ];
    for (words, input) in cases {
        let found = output(words[0], &words[1..], input);
        let people = if ["stack-merge", "stack-collapse-frames"].contains(&words[0]) {
            found.stderr
        } else {
            [found.stdout, found.stderr].concat()
        };
        let text = String::from_utf8(people).expect("text");
        assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{61c}']), "{words:?}: {text:?}");
        let escape = r"\xC2\x9B31m\xE2\x80\xAE\xD8\x9C";
        assert!(text.contains(escape), "{words:?}: {text}");
    }
}

/// A frame has one name, without its place and its marks, in all that people see.
#[test]
fn a_frame_has_one_name_in_all_outputs() {
    let folded = TempFile::new(";f (a.c:3)_[l]_[k] 40\n;f (a.c:4);<script> 60\n");
    let file = folded.path();
    let text = |name: &str, args: &[&str]| {
        let args = [args, &[file]].concat();
        String::from_utf8(output(name, &args, "").stdout).expect("UTF-8")
    };
    for (name, args) in [
        ("stack-top", &[][..]),
        ("stack-top", &["--tree"]),
        ("stack-top", &["--draw"]),
        ("stack-top", &["--callers", "^f$"]),
        ("stack-diff", &["--all", file]),
        ("stack-diff", &["--all", "--markdown", file]),
        ("stack-export", &["--to", "chrome"]),
        ("stack-export", &["--to", "d3"]),
        ("stack-export", &["--to", "dot"]),
        ("stack-export", &["--to", "callgrind"]),
    ] {
        let shown = text(name, args);
        assert!(shown.contains("[empty name]"), "{name} {args:?}: {shown}");
        assert!(!shown.contains("_[") && !shown.contains("(a.c"), "{name} {args:?}: {shown}");
    }
}
