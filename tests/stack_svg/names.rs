//! Names of any bytes are shown as text, and shortened by one rule.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use common::names::{FrameParts, fitted};
use proptest::prelude::*;

use super::draw;
use crate::needs::goes_without;
use crate::picture::Picture;
use crate::util::recording;

/// Names that would be markup, script or attributes if they were not escaped.
const HOSTILE: [&str; 11] = [
    "</script><script>alert(1)</script>",
    "\"onload=alert(1) x=\"",
    "' onclick='alert(1)",
    "</title></g></svg><script>",
    "]]>",
    "<![CDATA[",
    "<!--",
    "-->",
    "<?x",
    "&lt",
    "&#0",
];

#[test]
fn hostile_names_are_only_text() {
    let lines: String = HOSTILE.iter().map(|name| format!("{name} 9\n")).collect();
    let words = [
        "--title",
        "</text><script>",
        "--subtitle",
        "]]>\"&<g>",
        "--width",
        "9999",
        "--colors",
        "hot",
    ];
    let picture = draw(&words, lines);
    for name in HOSTILE {
        assert_eq!(picture.named(name).len(), 1, "{name}");
        assert_eq!(picture.named(name)[0].label, name);
    }
    assert_only_boxes(&picture, 1);
}

/// Asserts that a picture has only the elements of every picture, those of its boxes, and `lines`
/// more lines of text. It must be drawn with a palette of inferno, which has no legend.
fn assert_only_boxes(picture: &Picture, lines: usize) {
    let mut expected = draw(&["--colors", "hot"], "a 1\n").elements;
    let labels = picture.boxes.iter().filter(|one| !one.label.is_empty()).count();
    let boxes = picture.boxes.len();
    for (of_a_box, count) in [("g", boxes), ("title", boxes), ("rect", boxes), ("text", labels)] {
        *expected.get_mut(of_a_box).expect("drawn") += count;
        *expected.get_mut(of_a_box).expect("drawn") -= 2;
    }
    *expected.get_mut("text").expect("drawn") += lines;
    assert_eq!(picture.elements, expected);
}

/// perf's own demangling turns `$ad` in an OCaml name into one byte.
#[test]
fn what_is_not_text_is_shown_as_escapes() {
    // Tab and NUL are read as spaces; U+009B, which also starts a colour, is not ASCII.
    let picture = draw(&[], b"caml\xadd_12;a\tb\x00;\xef\xbf\xbe;\xc2\x9b31m 1\n");
    let names: Vec<_> = picture.frames().into_iter().map(|(name, ..)| name).collect();
    let mut names_by_row = names;
    names_by_row.sort();
    assert_eq!(names_by_row, [r"\xC2\x9B31m", r"\xEF\xBF\xBE", "a b ", r"caml\xADd_12"]);
}

#[test]
fn a_root_that_is_only_a_number_sign_is_drawn() {
    let picture = draw(&["--reverse", "--min-width", "5%"], b"b;# 1\n.;# 277\n");
    assert_eq!(picture.named("#").iter().map(|one| one.weight).sum::<u64>(), 278);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_make_a_picture_that_holds_their_weight(
        lines in prop::collection::vec((stack(), 1u64..1000), 1..30),
        reverse in any::<bool>(),
        min_width in prop_oneof![Just("0"), Just("5%"), Just("100%")],
    ) {
        // Starts with an empty line, since the names could begin like a gzip file.
        let mut input = b"\n".to_vec();
        for (stack, weight) in &lines {
            input.extend_from_slice(stack);
            input.extend_from_slice(format!(" {weight}\n").as_bytes());
        }
        let mut args = vec!["--colors", "hot", "--min-width", min_width];
        args.extend(reverse.then_some("--reverse"));
        let picture = draw(&args, &input);
        let total: u64 = lines.iter().map(|(_, weight)| weight).sum();
        prop_assert_eq!(picture.boxes.iter().filter(|one| one.row == 0).count(), 1);
        prop_assert_eq!(picture.named("all").iter().map(|one| one.weight).max(), Some(total));
        let narrow = picture.texts.iter().filter(|text| text.contains("too narrow")).count();
        assert_only_boxes(&picture, narrow);
        for one in &picture.boxes {
            prop_assert!(one.start + one.weight <= total);
            prop_assert!(one.row == 0 || picture.boxes.iter().any(|parent| {
                parent.row == one.row - 1
                    && parent.start <= one.start
                    && one.start + one.weight <= parent.start + parent.weight
            }), "{:?} stands on nothing", one);
        }
        prop_assert!(!picture.boxes.iter().any(|one| one.title.contains(char::is_control)));
    }
}

/// A stack that our reader accepts: any bytes except LF, not empty, not a comment.
fn stack() -> impl Strategy<Value = Vec<u8>> {
    let hostile = prop::sample::select(HOSTILE.to_vec()).prop_map(|name| name.as_bytes().to_vec());
    let spaced = "[ a;1.\\\\_\\[\\]k#\u{a0}]{1,9}".prop_map(String::into_bytes);
    let bytes = prop::collection::vec(any::<u8>(), 1..12);
    prop_oneof![hostile, spaced, bytes].prop_filter("a line of its own", |stack| {
        !stack.contains(&b'\n') && !stack.starts_with(b"# ") && stack != b"#"
    })
}

/// Names that are hard to shorten.
const LONG: [&str; 30] = [
    "std::vector<int>::push_back(int const&)",
    "std::vector<std::pair<int, char>, ns::Arena<std::pair<int, char>>>::push_back(std::pair<int, char>&&)",
    "std::string::compare(unsigned long, unsigned long, char const*) const",
    "void (anonymous namespace)::run<a::B, c::D>(a::B const&) const",
    "(anonymous namespace)::Parser<char, std::vector<Token>>::next(char const*)",
    "std::operator<< <char>(std::ostream&, char const*)",
    "A<(B)1, (c > d)>::operator->() const",
    "ns::Matrix<double, 4>::operator<=>(ns::Matrix<double, 4> const&) const",
    "decltype(x->y) ns::get(std::pair<int, char>)",
    "Server::Pool<Worker>::run(int)::{lambda(int)#1}::operator()(int) const",
    "<core::iter::Map<I,F> as core::Iterator>::fold",
    "a::b::Map<I,F>::next",
    "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
    "<&mut a::Reader<R> as std::io::Read>::read_to_end",
    "<[A] as core::slice::cmp::SlicePartialEq<B>>::equal",
    "<(A,B) as core::hash::Hash>::hash",
    "<impl core::convert::From<A> for b::C<D>>::from",
    "core::str::<impl str>::parse::<usize>",
    "<dyn core::ops::Fn(&str) + Send as a::Call>::call",
    "<a::f::{{closure}} as core::ops::FnOnce<()>>::call_once",
    "core::ptr::drop_in_place::h0123456789abcdef",
    "tokio::runtime::run::{{closure}}",
    "java.util.concurrent.ConcurrentHashMap<K,V>.putVal(int, Object)",
    "net/http.(*conn).serve",
    "main.(*Map[go.shape.int,go.shape.string]).Get",
    "main.main.func1.2",
    "Stdlib.List.fold_left",
    "asyncio.base.Loop.run.<locals>.<lambda>",
    "mark_slice.constprop.0",
    "関数::型<値>::実行する時間",
];

/// Prints what the page makes of each name, from 0 to 90 columns.
const SHORTEN: &str = "
    const names = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    const rooms = Array.from({ length: 91 }, (_, room) => room);
    console.log(JSON.stringify(names.map((name) => rooms.map((room) => fitted(name, room)))));";

#[test]
fn the_page_shortens_names_as_the_tools_do() {
    if goes_without(&[&["node"]]) {
        return;
    }
    let mut names: BTreeSet<String> = LONG.iter().map(|name| (*name).to_owned()).collect();
    for recorded in ["java-17-fp", "node-20-fp", "rust-rayon-dwarf", "rust-tokio-dwarf"] {
        let folded = recording(&format!("folded/{recorded}.folded.gz"));
        let folded = String::from_utf8(folded).expect("UTF-8");
        let stacks = folded.lines().filter_map(|line| line.rsplit_once(' '));
        let frames = stacks.flat_map(|(stack, _)| stack.split(';'));
        let name =
            |frame: &str| String::from_utf8_lossy(FrameParts::of(frame.as_bytes()).name).into();
        names.extend(frames.map(name).filter(|name: &String| name.len() < 400).take(40_000));
    }
    assert!(names.len() > 1_000, "{}", names.len());
    let script = concat!(include_str!("../../tools/stack-svg/viewer/fit.js"), "\n");
    let mut node = Command::new("node")
        .args(["-e", &[script, SHORTEN].concat()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node");
    let asked = serde_json::to_vec(&names).expect("JSON");
    node.stdin.take().expect("piped").write_all(&asked).expect("it reads");
    let output = node.wait_with_output().expect("it ends");
    let said: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said.len(), names.len());
    for (name, said) in names.iter().zip(&said) {
        for (room, label) in said.iter().enumerate() {
            assert_eq!(*label, fitted(name, room), "{name} in {room}");
        }
    }
}
