//! Flame graphs converted back to their stacks: drawn by stack-svg, by inferno, and in the way of
//! flamegraph.pl.

use std::collections::BTreeMap;
use std::fmt::Write;

use common::numbers::grouped;
use inferno::flamegraph;
use proptest::prelude::*;

use crate::random::Random;
use crate::util::{
    few_cases, filter, filter_bytes, golden_files, output, picture, recording, stderr, third_party,
    weight,
};

/// Texts that names may break: SVG, escapes, titles of boxes, XML, folded lines.
const PIECES: [&[u8]; 34] = [
    b"a",
    b"b",
    b" ",
    b"7",
    b"\\",
    b"\\x",
    b"AD",
    b"\\xAD",
    b"\xad",
    b"\xff\xfe",
    b"&amp;",
    b"&",
    b"<",
    b">",
    b"\"",
    b"'",
    b"]]>",
    b"<!--",
    b"-->",
    b"</metadata>",
    b"_[k]",
    b"_[j]",
    b"_[w]",
    b" (7 samples, 1%)",
    b" (",
    b")",
    b"all",
    b"[empty name]",
    b"# ",
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "größe λ".as_bytes(),
    b"$1",
];

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..4)
        .prop_map(|pieces| pieces.concat())
}

/// Folded lines with names made to break a picture, merged and sorted.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let stack = prop::collection::vec(name(), 1..5).prop_map(|frames| frames.join(&b';'));
    let weight = prop_oneof![1..40u64, 1..1_000_000_000u64];
    prop::collection::vec((stack, weight), 1..100).prop_map(|stacks| {
        let lines = stacks.into_iter().map(|(stack, weight)| (stack, format!(" {weight}\n")));
        // A line needs a name in its stack, and one that begins like this is a comment.
        let lines = lines.filter(|(stack, _)| !stack.is_empty() && !stack.starts_with(b"# "));
        let lines = lines.flat_map(|(stack, end)| [&stack[..], end.as_bytes()].concat());
        // Not as the first line, where `\xff\xfe` would mean that the input is UTF-16.
        [b"main;f 1\n", &lines.collect::<Vec<u8>>()[..]].concat()
    })
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn a_picture_gives_back_what_was_drawn(lines in hostile()) {
        let folded = filter_bytes("stack-parse", &["--format", "folded"], &lines);
        for options in [&[][..], &["--reverse"], &["--inverted"], &["--flamechart"]] {
            let picture = filter_bytes("stack-svg", options, &folded);
            prop_assert!(filter_bytes("stack-parse", &[], &picture) == folded, "{:?}", options);
        }
    }
}

#[test]
fn all_that_was_folded_comes_back_from_its_picture() {
    for file in golden_files("folded") {
        let folded = filter_bytes("stack-merge", &[], recording(&format!("folded/{file}")));
        let picture = filter_bytes("stack-svg", &["--count-name", "ms"], &folded);
        let again = filter_bytes("stack-parse", &["--header"], picture);
        let expected = [b"# unit: ms\n# source: svg\n", &folded[..]].concat();
        assert!(again == expected, "{file}");
    }
}

#[test]
fn both_profiles_of_a_picture_are_measures() {
    let picture = filter("stack-svg", &["--diff"], "a;b 3 5\na;c 4 0\nd 0 7\n");
    assert_eq!(filter("stack-parse", &[], &picture), "a;b 5\nd 7\n");
    assert_eq!(filter("stack-parse", &["--event", "before"], &picture), "a;b 3\na;c 4\n");
    let listed = filter("stack-parse", &["--list-events"], &picture);
    assert_eq!(listed, "after\t\t3\t12\nbefore\t\t3\t7\n");
    let still = filter("stack-svg", &["--diff", "--no-script"], "a;b 3 5\na;c 4 0\nd 0 7\n");
    assert_eq!(filter("stack-parse", &[], &still), "a;b 5\nd 7\n");
}

#[test]
fn what_a_picture_lacks_is_reported() {
    let picture = picture(&["--max-frames", "2"], "a;b 5\na;c 1\nd 7\n");
    let output = output("stack-parse", &[], picture);
    assert_eq!(output.stdout, b"a;[cut] 6\nd 7\n");
    let cut = "2 frames (46.2% of the weight) are cut by --max-frames, and drawn as [cut]\n";
    assert!(stderr(&output).contains(cut), "{}", stderr(&output));
}

#[test]
fn a_picture_without_script_has_the_names_that_it_shows() {
    let folded = "_[k] 2\nmain;read_[k] 3\nmain;x 9\n";
    let picture = filter("stack-svg", &["--no-script"], folded);
    assert_eq!(filter("stack-parse", &[], picture), "[empty name] 2\nmain;read 3\nmain;x 9\n");
}

/// The stacks with the names that flamegraph.pl and inferno show, which have no marks.
fn without_marks(folded: &str) -> String {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for line in folded.lines() {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let bare = |frame| {
            ["_[k]", "_[j]", "_[i]", "_[w]"].iter().find_map(|it| str::strip_suffix(frame, it))
        };
        let frames: Vec<&str> =
            stack.split(';').map(|frame| bare(frame).unwrap_or(frame)).collect();
        *sums.entry(frames.join(";")).or_default() += weight.parse::<u64>().expect("a weight");
    }
    sums.iter().fold(String::new(), |text, (stack, weight)| text + &format!("{stack} {weight}\n"))
}

#[test]
fn pictures_of_inferno_give_back_what_was_drawn() {
    for file in golden_files("folded") {
        let folded = filter_bytes("stack-merge", &[], recording(&format!("folded/{file}")));
        let folded = String::from_utf8(folded).expect("UTF-8");
        let mut options = flamegraph::Options::default();
        options.min_width = 0.0;
        let mut all = Vec::new();
        flamegraph::from_lines(&mut options, folded.lines(), &mut all).expect("inferno draws");
        let again = filter("stack-parse", &[], &all);
        assert!(again == without_marks(&folded), "{file}");
        // Narrow frames are not drawn, and their callers get their weight.
        options.min_width = 0.1;
        let mut wide = Vec::new();
        flamegraph::from_lines(&mut options, folded.lines(), &mut wide).expect("inferno draws");
        let again = filter("stack-parse", &[], &wide);
        assert_eq!(weight(again.as_bytes()), weight(folded.as_bytes()), "{file}");
        let stacks = without_marks(&folded);
        let is_start = |line: &str| {
            let stack = line.rsplit_once(' ').expect("a weight").0;
            stack == "[no stack]" || stacks.contains(stack)
        };
        assert!(again.lines().all(is_start), "{file}: {again}");
    }
}

/// The picture without the box of the whole, as Deno draws it.
fn without_whole(picture: &[u8]) -> String {
    let picture = std::str::from_utf8(picture).expect("UTF-8");
    let start = picture.find("<g><title>all (").expect("the box of the whole");
    let end = start + picture[start..].find("</g>").expect("its end");
    [&picture[..start], &picture[end + "</g>".len()..]].concat()
}

#[test]
fn pictures_without_a_box_of_the_whole_are_not_upside_down() {
    let folded = ["main;a;b 5", "main;c 2", "idle 4", "wait;d 1"];
    for lines in [&folded[..], &folded[..1], &folded[2..]] {
        for direction in [flamegraph::Direction::Straight, flamegraph::Direction::Inverted] {
            let mut options = flamegraph::Options::default();
            options.min_width = 0.0;
            options.direction = direction;
            let mut all = Vec::new();
            flamegraph::from_lines(&mut options, lines.iter().copied(), &mut all).expect("inferno");
            let expected = filter("stack-merge", &[], lines.join("\n") + "\n");
            let output = output("stack-parse", &[], without_whole(&all));
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{direction:?}");
            assert_eq!(stderr(&output), "", "{direction:?}");
        }
    }
}

#[test]
fn a_picture_that_states_another_total_than_its_boxes_have_is_reported() {
    let picture = recording("formats/svg/rootless.svg");
    let picture = String::from_utf8(picture).expect("UTF-8");
    let output =
        output("stack-parse", &[], picture.replace("total_samples=\"10\"", "total_samples=\"12\""));
    let expected = "the picture says that it has 12 samples, and has boxes for 10\n";
    assert!(stderr(&output).ends_with(expected), "{}", stderr(&output));
}

/// A box of a flame graph: its callers, its start, and its weight.
struct Box<'a> {
    name: &'a str,
    depth: usize,
    start: u64,
    total: u64,
}

/// The boxes of sorted folded lines.
fn boxes(folded: &str) -> Vec<Box<'_>> {
    let (mut boxes, mut now) = (vec![Box { name: "all", depth: 0, start: 0, total: 0 }], 0);
    let mut open: Vec<usize> = vec![0];
    for line in folded.lines() {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let frames: Vec<&str> = stack.split(';').collect();
        let same =
            open[1..].iter().zip(&frames).take_while(|(at, frame)| boxes[**at].name == **frame);
        let same = same.count();
        open.truncate(same + 1);
        for name in &frames[same..] {
            open.push(boxes.len());
            boxes.push(Box { name, depth: open.len() - 1, start: now, total: 0 });
        }
        let weight: u64 = weight.parse().expect("a weight");
        open.iter().for_each(|&at| boxes[at].total += weight);
        now += weight;
    }
    boxes
}

/// The picture that flamegraph.pl draws, written by the grammar of its output: coordinates have one
/// digit after the point, and boxes come in the order of a hash.
fn flamegraph_pl(folded: &str, is_inverted: bool, random: &mut Random) -> String {
    let mut boxes = boxes(folded);
    let total = boxes[0].total;
    let deepest = boxes.iter().map(|it| it.depth).max().unwrap_or(0);
    let mut svg = String::from(
        "<?xml version=\"1.0\" standalone=\"no\"?>\n<svg version=\"1.1\" width=\"1200\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<!-- Flame graph stack visualization. -->\n\
         <rect x=\"0.0\" y=\"0\" width=\"1200.0\" height=\"99.0\" fill=\"url(#background)\"  />\n\
         <text id=\"title\" >Flame Graph (7 samples, 1%)</text>\n<g id=\"frames\">\n",
    );
    while !boxes.is_empty() {
        let Box { name, depth, start, total: own } = boxes.swap_remove(random.below(boxes.len()));
        let place = |weight: u64| 10.0 + 1180.0 * weight as f64 / total as f64;
        let (left, right) = (format!("{:.1}", place(start)), format!("{:.1}", place(start + own)));
        let width: f64 =
            right.parse::<f64>().expect("a number") - left.parse::<f64>().expect("one");
        let row = if is_inverted { depth } else { deepest - depth };
        let name = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let share = 100.0 * own as f64 / total as f64;
        let percent = if depth == 0 { "100".to_owned() } else { format!("{share:.2}") };
        write!(
            svg,
            "<g >\n<title>{} ({} samples, {percent}%)</title><rect x=\"{left}\" y=\"{}\" \
             width=\"{width:.1}\" height=\"15.0\" fill=\"rgb(250,1,2)\" rx=\"2\" ry=\"2\" />\n\
             <text  x=\"{left}\" y=\"9\" >..</text>\n</g>\n",
            name.replace('"', "&quot;"),
            grouped(own),
            49 + 16 * row,
        )
        .expect("a string");
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn pictures_like_those_of_flamegraph_pl_give_back_what_was_drawn() {
    const NAMES: [&str; 8] =
        ["a", "f (int)", "g<T&>", "all", "x (3 samples, 1%)", "\"q\"", "b", " "];
    let mut random = Random(1);
    for round in 0..40 {
        // With a weight of at most 8,000 every frame has more than a tenth of a pixel.
        let mut folded = BTreeMap::new();
        for _ in 0..100 {
            let depth = 1 + random.below(9);
            let frames: Vec<_> = (0..depth).map(|_| NAMES[random.below(NAMES.len())]).collect();
            *folded.entry(frames.join(";")).or_insert(0) += 1 + random.below(80);
        }
        let folded: String =
            folded.iter().map(|(stack, weight)| format!("{stack} {weight}\n")).collect();
        let folded = filter("stack-merge", &[], folded);
        let picture = flamegraph_pl(&folded, round % 2 == 1, &mut random);
        assert_eq!(filter("stack-parse", &[], picture), folded, "{round}");
    }
}

/// inferno writes the weight of a box even if `--nameattr` replaces its title.
#[test]
fn boxes_of_inferno_with_titles_of_the_user_weigh_what_they_took() {
    let folded = "main;draw 30\nmain;parse 5\nmain;parse;lex 40\nmain;parse;read 25\n";
    let mut options = flamegraph::Options::default();
    let mut picture = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines(), &mut picture).expect("inferno draws");
    let mut picture = String::from_utf8(picture).expect("UTF-8");
    for (title, other) in [
        ("parse (70 samples, 70.00%)", "the parser"),
        ("lex (40 samples, 40.00%)", "the lexer (new)"),
    ] {
        let [title, other] = [title, other].map(|title| format!("<title>{title}</title>"));
        assert!(picture.contains(&title), "{title}: {picture}");
        picture = picture.replace(&title, &other);
    }
    let expected = "main;draw 30\nmain;the parser 5\nmain;the parser;read 25\n\
                    main;the parser;the lexer (new) 40\n";
    assert_eq!(filter("stack-parse", &[], picture), expected);
}

/// Without such numbers, a box without a count has the weight of the boxes on top of it.
#[test]
fn boxes_without_a_count_are_reported() {
    let output = output("stack-parse", &[], recording("formats/svg/nameattr.svg"));
    let said = stderr(&output);
    let expected = "2 boxes have no count: their weight stays with their callers";
    assert!(said.contains(expected), "{said}");
    assert_eq!(weight(&output.stdout), 100, "{said}");
}

/// The expected weight is that in the title of the box of all samples.
#[test]
fn a_picture_of_2012_is_read() {
    let Some(folder) = third_party("old-svg") else { return };
    let picture = std::fs::read(folder.join("cpu-linux-tcpsend.svg.gz")).expect("it is there");
    let folded = filter("stack-parse", &[], picture);
    assert_eq!(weight(folded.as_bytes()), 29_952);
    assert!(folded.lines().any(|it| it.starts_with("system_call_fastpath;sys_write;vfs_write;")));
}

#[test]
fn all_pictures_of_a_page_are_read() {
    let mut random = Random(2);
    let one = flamegraph_pl("a;b 3\na;c 4\n", false, &mut random);
    let two = filter("stack-svg", &[], "a;b 5\nd;all 6\n");
    let icon = "<svg width='20'><title>Search</title><path d='M1 2'/><rect x='1'/></svg>";
    let page = format!(
        "<!DOCTYPE html><html><meta charset=utf-8><p>1 < 2 &nbsp;<br>{icon}{one}<hr><<sv<svg/>{two}"
    );
    assert_eq!(filter("stack-parse", &[], page), "a;b 8\na;c 4\nd;all 6\n");
}

#[test]
fn a_picture_that_is_cut_says_where() {
    let picture = flamegraph_pl("a;b 3\na;c 4\n", false, &mut Random(2));
    let cut = &picture[..picture.rfind("</svg>").expect("its end")];
    let output = output("stack-parse", &[], cut);
    assert_eq!(output.stdout, b"a;b 3\na;c 4\n");
    assert_eq!(output.status.code(), Some(2));
    let said = format!("<stdin>: byte {}: expected an SVG: the input ends", cut.len());
    assert!(stderr(&output).contains(&said), "{}", stderr(&output));
}

#[test]
fn a_tower_of_a_hundred_thousand_frames_is_read() {
    let folded = format!("{} 7\n", vec!["f"; 100_000].join(";"));
    let picture = filter("stack-svg", &[], &folded);
    assert!(filter("stack-parse", &[], picture) == folded);
}

/// The content of d3-flame-graph's own example, counted by its rule: values are inclusive.
#[test]
fn the_example_of_d3_flame_graph_weighs_what_its_root_says() {
    let Some(folder) = third_party("d3-flame-graph") else { return };
    let example = std::fs::read(folder.join("stacks.min.json")).expect("it is there");
    let folded = filter("stack-parse", &[], example);
    assert_eq!(weight(folded.as_bytes()), 57_412);
    assert!(
        folded.contains("unix`sys_syscall;genunix`syscall_mstate;unix`tsc_gethrtimeunscaled 59\n")
    );
}

#[test]
fn a_tree_of_json_of_any_depth_is_read() {
    let [open, close] = [r#"{"n":"f","v":7,"c":["#, "]}"].map(|text| text.repeat(100_001));
    let folded = filter("stack-parse", &[], open + &close);
    assert!(folded == format!("{} 7\n", vec!["f"; 100_000].join(";")), "{}", folded.len());
}

#[test]
fn marks_of_async_profiler_are_those_of_its_collapsed_output() {
    let Some(folder) = third_party("async-profiler") else { return };
    for name in ["sample1.collapsed", "sample2.collapsed"] {
        let collapsed = std::fs::read_to_string(folder.join(name)).expect("it is there");
        let merged = filter("stack-merge", &[], &collapsed);
        assert_eq!(
            filter("stack-parse", &["--annotate"], async_profiler_page(&merged)),
            merged,
            "{name}"
        );
    }
}

/// The page that async-profiler 2.9 writes, by the grammar of its writer: one call for each frame.
fn async_profiler_page(folded: &str) -> String {
    const MARKS: [&str; 7] = ["_[0]", "_[j]", "_[i]", "-", "-", "_[k]", "_[1]"];
    let mut page = String::from("<!DOCTYPE html>\n<p>async-profiler</p>\n<script>\n");
    page += &"\t\t[0x50e150, 30, 30, 30],\n".repeat(MARKS.len());
    page += "\tfunction f(level, left, width, type, title, inln, c1, int) {\n\t}\n";
    for Box { name, depth, start, total } in boxes(folded) {
        let mark = MARKS.iter().position(|mark| name.ends_with(mark)).unwrap_or(3);
        let name = name.strip_suffix(MARKS[mark]).unwrap_or(name).replace('\'', "\\'");
        writeln!(page, "f({depth},{start},{total},{mark},'{name}')").expect("a string");
    }
    page + "render();\n</script></body></html>\n"
}
