//! Names of any bytes are shown as text.

use proptest::prelude::*;

use super::draw;
use crate::picture::Picture;

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
