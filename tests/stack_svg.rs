//! stack-svg. The tests read the pictures as XML.

use std::collections::BTreeSet;

use crate::picture::Picture;
use crate::util::{
    TOOLS, feed, filter, filter_bytes, golden_path, output, picture, recording, scratch, stderr,
    tool,
};

// Flame charts of lines that have a time.
mod chart;

// The file of the picture, and what happens if it cannot be written.
mod files;
// The kind of a frame's code.
mod kinds;

// Names of any bytes.
mod names;

// The labels of boxes, and which boxes are in sight.
mod sight;

// The strip of time.
mod strip;

fn draw(args: &[&str], input: impl AsRef<[u8]>) -> Picture {
    Picture::of(picture(args, input))
}

fn frame(name: &str, row: i64, start: u64, weight: u64) -> (String, i64, u64, u64) {
    (name.to_owned(), row, start, weight)
}

#[test]
fn each_frame_is_drawn_where_it_belongs() {
    let picture = draw(&[], "a;b 1\na;c 2\na 3\nd 4\n");
    let expected =
        [frame("a", 1, 0, 6), frame("b", 2, 3, 1), frame("c", 2, 4, 2), frame("d", 1, 6, 4)];
    let mut frames = picture.frames();
    frames.sort();
    assert_eq!(frames, expected);
    assert_eq!(picture.named("all")[0].weight, 10);
    assert_eq!(picture.named("b")[0].title, "b (1 count, 10.00%)");
    assert!(picture.texts.contains(&"total weight 10".to_owned()), "{:?}", picture.texts);
}

/// In the order of bytes, `a b;c` comes between `a` and `a;d`; `a` must still be one frame.
#[test]
fn a_name_that_sorts_between_does_not_split_a_frame() {
    let picture = draw(&[], "a 5\na b;c 1\na!;c 1\na;d 1\n");
    assert_eq!(picture.named("a").len(), 1);
    assert_eq!(picture.named("a")[0].weight, 6);
}

#[test]
fn a_name_that_ends_in_a_number_makes_no_differential_picture() {
    let picture = draw(&[], "thread 1234 57\nthread 1234;12 34 1\nthread;1.5 2\n");
    assert_eq!(picture.named("thread 1234")[0].weight, 58);
    assert_eq!(picture.named("12 34")[0].weight, 1);
    assert_eq!(picture.named("1.5")[0].weight, 2);
    let whole = picture.named("all")[0];
    assert_eq!((whole.weight, &*whole.title), (60, "all (60 counts, 100.00%)"));
}

#[test]
fn spaces_and_empty_frames_are_frames() {
    let input = "; 1\n  ; x ; 2\n a 4\na  8\n;# b 16\n\u{a0} 32\n";
    let picture = draw(&[], input);
    assert_eq!(picture.named("all")[0].weight, 63);
    assert_eq!(picture.frames().len(), 9);
    assert_eq!(picture.named("[empty name]").iter().map(|one| one.weight).sum::<u64>(), 20);
    assert_eq!(picture.named("# b")[0].weight, 16);
    assert_eq!(picture.named("a ")[0].weight, 8);
}

#[test]
fn marks_give_colours_and_are_not_shown() {
    let picture = draw(&[], "f 8\nf_[k] 8\nf_[l] 8\nf_[i] 8\n");
    let boxes = picture.named("f");
    assert_eq!(boxes.len(), 4);
    assert!(boxes.iter().all(|one| one.label == "f"));
    for (index, one) in boxes.iter().enumerate() {
        assert!(boxes[..index].iter().all(|other| other.fill != one.fill), "{boxes:?}");
    }
}

#[test]
fn a_label_has_the_file_and_a_title_the_path() {
    let input = "main;f (/src/a/util.c:14) 5\nmain;f (/src/b/util.c:14) 3\n\
                 main;g (C:\\src\\x y.c:7)_[k] 1\nmain;h (/src/od\\d.c:7) 1\n";
    let picture = draw(&[], input);
    let labels = |name: &str| picture.named(name).iter().map(|it| &*it.label).collect::<Vec<_>>();
    assert_eq!(labels("f (/src/a/util.c:14)"), ["f (util.c:14)"]);
    assert_eq!(labels("f (/src/b/util.c:14)"), ["f (util.c:14)"]);
    assert_eq!(labels("g (C:\\src\\x y.c:7)"), ["g (x y.c:7)"]);
    assert_eq!(labels("h (/src/od\\d.c:7)"), ["h (od\\d.c:7)"]);
    let title = &picture.named("f (/src/b/util.c:14)")[0].title;
    assert_eq!(title, "f (/src/b/util.c:14) (3 counts, 30.00%)");
}

#[test]
fn the_order_of_lines_makes_no_difference() {
    let folded = String::from_utf8(recording("folded/lwtsim-4.13.1-dwarf.folded.gz"));
    let folded = folded.expect("UTF-8");
    let mut lines: Vec<&str> = folded.lines().collect();
    for palette in ["kind", "hot", "java"] {
        let args = ["--colors", palette];
        let expected = filter("stack-svg", &args, lines.join("\n"));
        for _ in 0..3 {
            lines.rotate_left(7);
            lines.swap(0, 11);
            assert!(filter("stack-svg", &args, lines.join("\n")) == expected, "{palette}");
        }
        lines.reverse();
        assert!(filter("stack-svg", &args, lines.join("\n")) == expected, "{palette}");
    }
}

#[test]
fn a_name_has_one_colour_in_all_pictures() {
    let one = draw(&[], "main;Stdlib.List.map 1\n");
    let two = draw(&[], "zero 1\nmain;x;Stdlib.List.map 5\n");
    assert_eq!(one.named("Stdlib.List.map")[0].fill, two.named("Stdlib.List.map")[0].fill);
}

#[test]
fn narrow_frames_are_left_out_and_counted() {
    let input = "a;b;c 1\na;b 2\na;d 997\ne;f 4\n";
    let picture = draw(&["--min-width", "1%"], input);
    assert_eq!(picture.frames(), [frame("a", 1, 0, 1000), frame("d", 2, 3, 997)]);
    assert_eq!(picture.named("all")[0].weight, 1004);
    let said = "4 frames (0.7% of the weight) are too narrow to draw; zoom shows them in a browser";
    assert!(picture.texts.iter().any(|text| text == said), "{:?}", picture.texts);
    assert_eq!(draw(&["--min-width", "0"], input).frames().len(), 6);
}

#[test]
fn the_least_width_is_in_pixels_of_the_picture() {
    // A hundredth of 980 pixels.
    let input = "a 1\nb 99\n";
    assert_eq!(draw(&["--width", "1000", "--min-width", "9.8"], input).frames().len(), 2);
    assert_eq!(draw(&["--width", "1000", "--min-width", "9.9"], input).frames().len(), 1);
    assert_eq!(draw(&["--width", "1000", "--minwidth", "9.9"], input).frames().len(), 1);
}

#[test]
fn a_reversed_picture_is_merged_from_the_leaves() {
    let picture = draw(&["--reverse"], "main;f;malloc 3\nmain;g;malloc 4\nmain 1\n");
    assert_eq!(picture.named("malloc").iter().map(|one| one.weight).collect::<Vec<_>>(), [7]);
    let main: Vec<_> = picture.named("main").iter().map(|one| (one.row, one.weight)).collect();
    assert_eq!(main, [(1, 1), (3, 3), (3, 4)]);
}

/// The drawn picture, the data of the script and the note about cut frames must
/// agree.
#[test]
fn a_reversed_picture_is_made_of_the_frames_that_are_kept() {
    let input = "a;x 50\nb;x 40\nc;y 7\nd;y 3\n";
    for script in [&[][..], &["--no-script"]] {
        let args = [&["--reverse", "--max-frames", "4"], script].concat();
        let svg = String::from_utf8(picture(&args, input)).expect("UTF-8");
        let picture = Picture::of(&svg);
        let frames = [
            frame("x", 1, 0, 90),
            frame("[cut]", 1, 90, 10),
            frame("a", 2, 0, 50),
            frame("b", 2, 50, 40),
        ];
        let mut found = picture.frames();
        found.sort_by_key(|(_, row, start, _)| (*row, *start));
        assert_eq!(found, frames);
        let cut = "4 frames (10.0% of the weight) are cut by --max-frames, and drawn as [cut]";
        assert!(picture.texts.iter().any(|text| text == cut), "{:?}", picture.texts);
        assert_eq!(svg.contains(&format!("data-cut=\"{cut}\"")), script.is_empty());
        let said = output("stack-svg", &[&args[..], &["--stats"]].concat(), input).stderr;
        let said = String::from_utf8(said).expect("UTF-8");
        assert!(said.contains(&format!("stack-svg: {cut}\n")), "{said}");
        assert!(
            said.contains(
                "in 4 lines weight 100, out 3 lines weight 100, changed 1 lines weight 10"
            ),
            "{said}"
        );
    }
}

#[test]
fn of_frames_of_one_weight_those_that_fit_are_kept() {
    let lines: String = (0..1000).map(|number| format!("main;f{number:03} 1\n")).collect();
    let picture = draw(&["--max-frames", "901", "--min-width", "0"], &lines);
    let names = |name: &str| picture.named(name).len();
    assert_eq!((names("main"), names("f000"), names("f899"), names("f900")), (1, 1, 1, 0));
    assert_eq!(picture.named("[cut]").len(), 1);
}

#[test]
fn the_description_names_no_tool_but_ours() {
    let svg = filter("stack-svg", &[], "a 1\n");
    let (_, description) = svg.split_once("<desc>").expect("a description");
    let (description, _) = description.split_once("</desc>").expect("its end");
    let words = description.split(|char: char| !(char.is_alphanumeric() || char == '-'));
    let tools = words.filter(|word| word.starts_with("stack-"));
    assert_eq!(tools.filter(|tool| TOOLS.iter().all(|(name, _)| name != tool)).count(), 0);
}

/// Every text below the picture must end before the right edge.
#[test]
fn the_words_below_a_narrow_picture_are_not_cut() {
    const LETTER: f64 = 12.0 * 0.605;
    let input = "f_[k] 900\nf_[l] 900\na::main 900\nb::c 900\n[x] 900\nmain 900\ncaml_f 90\nz 1\n";
    for width in [160, 300, 400, 559, 561, 1200] {
        let width_arg = width.to_string();
        let args = ["--no-script", "--max-frames", "7", "--width", &width_arg];
        let svg = String::from_utf8(picture(&args, input)).expect("UTF-8");
        let notes: Vec<_> = svg.split("<text ").filter(|text| text.contains("\"note\"")).collect();
        assert!(notes.len() >= 10, "{svg}");
        for note in notes {
            let x = note.strip_prefix("x=\"").and_then(|x| x.split_once('"')).expect("a place").0;
            let (_, words) = note.split_once('>').expect("words");
            let words = words.split_once('<').expect("their end").0;
            let end = x.parse::<f64>().expect("a number") + words.len() as f64 * LETTER;
            assert!(end <= f64::from(width), "{width}: {words} ends at {end}");
        }
    }
}

#[test]
fn an_inverted_picture_has_its_roots_on_top() {
    let picture = draw(&["--inverted"], "a;b 1\n");
    let row = |name| picture.named(name)[0].row;
    assert!(row("all") > row("a") && row("a") > row("b"));
}

#[test]
fn the_words_are_the_users() {
    let args = ["--title", "T<1>", "--subtitle", "at \u{1b}[1m & more", "--count-name", "ms"];
    let picture = draw(&args, "a 1500\n");
    assert_eq!(picture.named("a")[0].title, "a (1,500 ms, 100.00%)");
    for text in ["T<1>", r"at \x1B[1m & more", "total 1.50 s"] {
        assert!(picture.texts.iter().any(|found| found == text), "{text}: {:?}", picture.texts);
    }
    let unit = draw(&["--unit", "ms"], "a 1500\n");
    assert_eq!(unit.named("a")[0].title, "a (1,500 ms, 100.00%)");
}

#[test]
fn sizes_are_the_users() {
    let picture = draw(&["--width", "640"], "a 1\n");
    assert_eq!(picture.width, "640");
    let higher = draw(&["--width", "640", "--height", "40"], "a 1\n");
    // Two rows, which are 18 pixels high by default.
    assert_eq!(higher.height - picture.height, 2 * (40 - 18));
    assert!(draw(&["--font-size", "24"], "a 1\n").height > picture.height);
}

#[test]
fn labels_end_before_their_boxes() {
    let picture =
        draw(&["--width", "220", "--font-size", "10"], format!("{} 1\nb 1\n", "n".repeat(99)));
    let long = picture.boxes.iter().find(|one| one.name().len() == 99).expect("a long name");
    // Letters of 6.05 pixels fill 94 of the 100 pixels.
    assert_eq!(long.label, format!("{0}\u{2026}{0}", "n".repeat(7)));
}

#[test]
fn weights_over_2_to_the_53_are_exact() {
    let large = (1u64 << 63) + 1;
    let picture = draw(&["--count-name", "ns"], format!("a {large}\nb 1000000000000000001\n"));
    assert_eq!(picture.named("a")[0].weight, large);
    assert_eq!(picture.named("a")[0].title, "a (9,223,372,036,854,775,809 ns, 90.22%)");
    assert_eq!(picture.named("b")[0].weight, 1_000_000_000_000_000_001);
}

#[test]
fn a_stack_that_takes_the_sum_over_64_bits_is_left_out_and_named() {
    let output = tool("stack-svg").write_stdin(format!("a {0}\nb {0}\n", u64::MAX)).output();
    let output = output.expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        stderr,
        format!("stack-svg: stack 'b': a sum over {0}, weight {0} left out\n", u64::MAX)
    );
    let picture = Picture::of(&output.stdout);
    assert_eq!(picture.named("a")[0].weight, u64::MAX);
    assert!(picture.named("b").is_empty());
}

#[test]
fn ten_thousand_frames_deep_is_drawn() {
    let deep: Vec<String> = (0..10_000).map(|depth| format!("f{depth}")).collect();
    let picture = draw(&[], format!("{} 3\nf0 1\n", deep.join(";")));
    assert_eq!(picture.frames().len(), 10_000);
    assert_eq!(picture.named("f9999")[0].row, 10_000);
}

#[test]
fn deeper_frames_are_counted_and_make_no_large_picture() {
    let deep = format!("{} 3\nf 1\n", ["f"; 1_000_000].join(";"));
    let svg = filter_bytes("stack-svg", &["--no-script"], &deep);
    assert!(svg.len() < 2_500_000, "{} bytes", svg.len());
    let picture = Picture::of(svg);
    assert_eq!(picture.frames().len(), 10_000);
    let said = "990,000 frames (75.0% of the weight) are too deep to draw";
    assert!(picture.texts.iter().any(|text| text == said), "{:?}", picture.texts);
}

#[test]
fn a_picture_is_named_after_its_program() {
    let title = |args: &[&str], input: &str| {
        let svg = filter("stack-svg", args, input);
        let (_, title) = svg.split_once("<title>").expect("a title");
        title.split_once("</title>").expect("its end").0.to_owned()
    };
    assert_eq!(title(&["--reverse"], "main;f 3\n"), "main, merged from the leaves");
    assert_eq!(title(&["--title", "mine"], "main;f 3\n"), "mine");
    assert_eq!(title(&[], "cargo;main;f 3\ncargo;g 4\n"), "cargo");
    assert_eq!(title(&[], "cargo;main;f 3\nrustc;g 4\n"), "Flame Graph");
    assert_eq!(title(&["-"], "a<b 1\n"), "a&lt;b");
    assert_eq!(title(&[], "main (/src/main.c:3);f 4\nmain (/src/main.c:3) 3\n"), "main");
}

#[test]
fn nothing_is_written_that_no_program_reads() {
    let input = recording("folded/treegc-4.13.1-dwarf.folded.gz");
    let svg = String::from_utf8(filter_bytes("stack-svg", &[], &input)).expect("UTF-8");
    assert!(!svg.contains("></text>") && !svg.contains("fg:w="));
    let alone = String::from_utf8(filter_bytes("stack-svg", &["--no-script"], input));
    assert!(alone.expect("UTF-8").contains("fg:w="), "no other place has the exact weights");
}

#[test]
fn without_a_script_profiles_stand_side_by_side() {
    let input = "worker 1;f 1\nworker 2;f 3\n";
    let picture = draw(&["--split", "root"], input);
    assert_eq!(picture.frames(), draw(&[], input).frames());
    let [one, two] = [("split-1.folded", "f 1\n"), ("split-2.folded", "f 3\n")]
        .map(|(name, text)| scratch(name, text).to_str().expect("text").to_owned());
    let picture = draw(&["--split=file", &one, &two], "");
    assert_eq!((picture.named(&one)[0].weight, picture.named(&two)[0].weight), (1, 3));
    let output = feed("stack-svg", &["--split", "file", "--diff"], "a 1 2\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("use --split root"));
}

#[test]
fn the_values_of_a_label_are_roots_as_stack_merge_makes_them() {
    let input = "tid=1\tmain;f 10\ncomm=a;b\ttid=2\tmain 3\nmain;h 4\nfile=x\ttid=\t 2\n\
        since=1\ttid=1\tmain;g 5\n";
    for (word, key) in
        [("tid", "tid"), ("comm", "comm"), ("label:file", "file"), ("label:root", "root")]
    {
        let merged = output("stack-merge", &["--by-label", key], input).stdout;
        let unlabelled = filter_bytes("stack-merge", &["--labels", "none"], merged);
        let picture = Picture::of(output("stack-svg", &["--split", word], input).stdout);
        assert_eq!(picture.frames(), draw(&[], unlabelled).frames(), "{word}");
        assert_eq!(picture.named("all")[0].weight, 24);
    }
    let mut roots = draw(&["--split", "comm"], "comm=a;b\tf 3\nf 4\ncomm=\tf 2\n").frames();
    roots.retain(|(_, row, ..)| *row == 1);
    roots.sort();
    let expected =
        [frame("[empty name]", 1, 0, 2), frame("[no comm]", 1, 2, 4), frame("a:b", 1, 6, 3)];
    assert_eq!(roots, expected);
}

/// Time goes from left to right: a value that occurs again is drawn again.
#[test]
fn values_of_a_label_keep_the_order_of_a_chart() {
    let picture =
        draw(&["--split", "tid", "--flamechart"], "tid=1\tf 1\ntid=1\tf 2\nf 4\ntid=1\tg 8\n");
    let mut frames = picture.frames();
    frames.sort_by_key(|(_, row, start, _)| (*row, *start));
    let expected = [
        frame("1", 1, 0, 3),
        frame("[no tid]", 1, 3, 4),
        frame("1", 1, 7, 8),
        frame("f", 2, 0, 3),
        frame("f", 2, 3, 4),
        frame("g", 2, 7, 8),
    ];
    assert_eq!(frames, expected);
}

#[test]
fn two_profiles_are_split_by_their_labels() {
    let picture = draw(&["--split", "tid", "--diff"], "tid=1\tf 1 2\ntid=2\tf 3 4\nf 0 5\n");
    let weights = ["1", "2", "[no tid]"].map(|root| picture.named(root)[0].weight);
    assert_eq!(weights, [3, 7, 5]);
}

#[test]
fn a_label_that_no_line_has_is_reported() {
    let output = feed("stack-svg", &["--split", "tid"], "pid=1\tf 1\n");
    let expected =
        "stack-svg: no line has a label 'tid', as 'stack-parse --labels tid' writes it\n";
    assert_eq!((stderr(&output), output.status.code()), (expected.to_owned(), Some(0)));
    let output = feed("stack-svg", &["--split", "a b"], "f 1\n");
    assert!(stderr(&output).contains("expected the key of a label"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn malformed_lines_are_named_and_the_rest_is_drawn() {
    let output = tool("stack-svg").write_stdin("a 1\nno count\nb 2\n").output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("stack-svg: <stdin>:2: expected"));
    assert_eq!(Picture::of(output.stdout).frames().len(), 2);
}

#[test]
fn lines_without_two_counts_are_named_where_two_were_asked_for() {
    let output = feed("stack-svg", &["--diff"], "a 1 2\na 1\n# note\nb\n");
    assert_eq!(output.status.code(), Some(2));
    let expected = "expected 'frame;frame before after', found no two counts";
    let expected = format!("stack-svg: <stdin>:2: {expected}\nstack-svg: <stdin>:4: {expected}\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    let picture = Picture::of(output.stdout);
    assert_eq!(picture.frames(), [frame("a", 1, 0, 3)]);
}

/// inferno alone draws the same frames with the same weights. It differs for names that end in a
/// number and for frames that it draws twice (see above); these profiles have neither.
#[test]
fn every_frame_that_inferno_draws_is_in_ours() {
    for name in ["packbench-4.13.1-dwarf", "lwtsim-4.13.1-dwarf"] {
        let folded =
            String::from_utf8(recording(&format!("folded/{name}.folded.gz"))).expect("UTF-8");
        for reverse in [false, true] {
            let mut options = inferno::flamegraph::Options::default();
            options.min_width = 0.0;
            options.reverse_stack_order = reverse;
            let mut svg = Vec::new();
            inferno::flamegraph::from_lines(&mut options, folded.lines(), &mut svg)
                .expect("it draws");
            // Our parser of pictures refuses references to a server.
            let text = String::from_utf8(svg).expect("UTF-8").replacen("<!DOCTYPE", "<?", 1);
            let text = text.replacen(".dtd\">", ".dtd\"?>", 1);
            let mut args = vec!["--min-width", "0"];
            args.extend(reverse.then_some("--reverse"));
            let mut theirs = counted(&Picture::of(text));
            let mut ours = counted(&draw(&args, &folded));
            theirs.sort();
            ours.sort();
            assert!(theirs.len() > 500, "{name} is no small profile");
            assert!(theirs == ours, "{name}, reverse {reverse}");
        }
    }
}

/// The frames of a picture by name, row and weight.
fn counted(picture: &Picture) -> Vec<(String, i64, u64)> {
    picture.frames().into_iter().map(|(name, row, _, weight)| (name, row, weight)).collect()
}

#[test]
fn the_default_unit_is_that_of_the_header() {
    // As older versions wrote it.
    for input in ["# unit: ns\nmain 7\n", "# unit: nanoseconds\nmain 7\n"] {
        assert!(filter("stack-svg", &[], input).contains("7 ns"), "{input}");
        let told = filter("stack-svg", &["--unit", "bytes"], input);
        assert!(told.contains("7 bytes") && !told.contains("7 ns"), "{input}");
    }
}

#[test]
fn what_noise_explains_is_grey() {
    let recorded = |name: &str| golden_path(&format!("diff/{name}.folded.gz"));
    let pairs = |other: &str| {
        let [one, other] = [recorded("base-01"), recorded(other)];
        let paths = [&one, &other].map(|path| path.to_str().expect("UTF-8"));
        filter("stack-diff", &["--folded", paths[0], paths[1]], "")
    };
    let colored = |pairs: &str| {
        let svg = filter("stack-svg", &["--diff", "--min-width", "0"], pairs);
        let titles = svg.split("<title>").skip(1).filter_map(|it| it.split_once("</title>"));
        let colored = titles.filter(|(title, _)| title.contains(" before, "));
        let colored = colored.filter(|(title, _)| !title.ends_with("; noise explains it)"));
        let name = |title: &str| title.rsplit_once(" (").expect("numbers").0.to_owned();
        let grey = svg.matches("#eaeaea").count();
        (colored.map(|(title, _)| name(title)).collect::<BTreeSet<_>>(), grey)
    };
    let (of_equal, grey) = colored(&pairs("base-02"));
    assert_eq!(of_equal, BTreeSet::new());
    assert!(grey > 300, "{grey}");
    // The functions that stack-diff lists.
    let [one, other] = [recorded("base-01"), recorded("slower-02")];
    let paths = [&one, &other].map(|path| path.to_str().expect("UTF-8"));
    let rows = filter("stack-diff", &["--tsv", paths[0], paths[1]], "");
    let listed = rows.lines().skip(1).filter_map(|row| row.split('\t').next());
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert!(listed.contains("hot") && listed.len() < 10, "{listed:?}");
    assert_eq!(colored(&pairs("slower-02")).0, listed);
}

#[test]
fn the_footer_says_how_far_the_profile_can_be_trusted() {
    let stacks = "# unit: samples\n# lost: 41 of 1,000 samples\nmain;work 959\n";
    let svg = filter("stack-svg", &["--no-script"], stacks);
    let note = "<title>50.0 % is ± 3.2 points; 4.1 % of the samples lost</title>\
                trust: good for the order and the callers, fair for the sizes</text>";
    assert!(svg.contains(note), "{svg}");
    assert!(!filter("stack-svg", &[], "main;work 959\n").contains("trust: "));
}
