//! Promises of recipes that several pages have.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cooked, Line, lines, sum, values, weight};

/// The stacks of a file, or of a picture, are those of the recording: none is lost.
pub(super) fn has_all_samples(cooked: &Cooked<'_>, shown: &[Line], recording: &str) {
    assert_eq!(sum(shown), cooked.samples_of(recording), "{recording}");
}

/// Recursion is one level, and weighs what it weighed; labels have depths that it reached.
pub(super) fn towers_are_low(cooked: &Cooked<'_>, before: &str, picture: &str) {
    let (before, drawn) = (cooked.stacks(before), cooked.drawn(picture));
    assert_eq!(sum(&drawn), sum(&before));
    assert!(before.iter().any(Line::recurs) && !drawn.iter().any(Line::recurs));
    // `Stdlib.Map.add (x4+)` is in one stack at least four times.
    let mut labelled = 0;
    for (name, least) in drawn.iter().flat_map(|it| &it.frames).filter_map(|it| depth_of(it)) {
        let count = |it: &Line| it.frames.iter().filter(|frame| *frame == name).count();
        assert!(before.iter().any(|it| count(it) >= least), "{name} {least}");
        labelled += 1;
    }
    assert!(labelled > 0);
}

fn depth_of(frame: &str) -> Option<(&str, usize)> {
    let (name, depth) = frame.strip_suffix("+)")?.rsplit_once(" (x")?;
    Some((name, depth.parse().expect("a number")))
}

/// The first row of the table is the function with the most self weight.
pub(super) fn hottest_is_first(cooked: &Cooked<'_>, stacks: &str) {
    let table = cooked.run(&format!("stack-top -n 10 {stacks}"));
    let row = table.lines().nth(1).expect("a row");
    let stacks = cooked.stacks(stacks);
    let first: u64 =
        row.split_whitespace().next().expect("self").replace(',', "").parse().expect(row);
    let most = stacks.iter().map(|it| weight(&stacks, |other| other.leaf() == it.leaf())).max();
    assert_eq!(Some(first), most, "{row}");
    let name = row.split("  ").last().expect("a name").trim();
    assert_eq!(weight(&stacks, |it| it.leaf() == name), first, "{row}");
}

/// A picture has what a function called, without its callers.
pub(super) fn is_below(cooked: &Cooked<'_>, picture: &str, stacks: &str, is_it: fn(&str) -> bool) {
    let mut below: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for line in cooked.stacks(stacks) {
        let Some(at) = line.frames.iter().rposition(|name| is_it(name)) else { continue };
        let mut called = line.frames[at + 1..].to_vec();
        if called.is_empty() {
            called.push("[hidden]".to_owned());
        }
        *below.entry(called).or_default() += line.weight;
    }
    let drawn: BTreeMap<Vec<String>, u64> =
        cooked.drawn(picture).into_iter().map(|it| (it.frames, it.weight)).collect();
    assert_eq!(drawn, below);
}

/// The share of what has this function, in percent.
fn share(lines: &[Line], name: &str) -> f64 {
    100.0 * weight(lines, |it| it.has(name)) as f64 / sum(lines) as f64
}

/// What runs while no other thread does is on the critical path with all of its time. Of what runs side
/// by side, each moment is there once: so the share of the first is larger there than of all the time
/// in which threads run or have no processor. This also holds where other programs keep the processors
/// busy, and threads run in turn.
pub(super) fn is_alone_on_the_path(
    cooked: &Cooked<'_>,
    name: &str,
    picture: &str,
    recording: &str,
) {
    let slices = lines(&cooked.run(&format!("stack-parse --wall --labels state {recording}")));
    let ran: Vec<Line> =
        slices.into_iter().filter(|it| !it.label("state").starts_with("waiting")).collect();
    let path = cooked.drawn(picture);
    let [on_path, in_all] = [&path, &ran].map(|lines| weight(lines, |it| it.has(name)) as f64);
    assert!((on_path / in_all - 1.0).abs() < 0.02, "{name}: {on_path} ns and {in_all} ns");
    let [of_path, of_all] = [&path, &ran].map(|lines| share(lines, name));
    assert!(of_path >= of_all + 3.0, "{name}: {of_path} % and {of_all} %");
}

/// Time in which several threads ran is shared between them. So what runs while no other thread does has
/// the share of the milliseconds in which it ran.
pub(super) fn is_shared_by_threads(cooked: &Cooked<'_>, name: &str, stacks: &str, recording: &str) {
    let script = format!("perf script --no-inline -F tid,time,ip,sym -i {recording}");
    let listed = cooked.run(&script);
    let (mut all, mut with_name) = (BTreeSet::new(), BTreeSet::new());
    // 4711  5031.203942:
    //             55d4a5a31189 alone
    //             55d4a5a31243 main
    for sample in listed.split("\n\n").filter(|sample| !sample.is_empty()) {
        let time = sample.split_whitespace().nth(1).expect("a time");
        let millisecond = &time[..time.len() - 4];
        all.insert(millisecond);
        if sample.lines().any(|frame| frame.split_whitespace().nth(1) == Some(name)) {
            with_name.insert(millisecond);
        }
    }
    let expected = 100.0 * with_name.len() as f64 / all.len() as f64;
    let shared = share(&cooked.stacks(stacks), name);
    assert!((shared - expected).abs() < 2.0, "{name}: {shared} %, not {expected} %");
}

/// The table has a column for each value of a label, and its numbers add up.
pub(super) fn containers_are_columns(cooked: &Cooked<'_>) {
    let stacks = cooked.stacks("containers.folded");
    let head = cooked.result.lines().find(|line| line.ends_with("FUNCTION")).expect("a table");
    for name in values(&stacks, "cgroup") {
        assert!(head.split("  ").any(|column| column.trim() == name), "{head}");
    }
    assert_eq!(cooked.row("serve")[0], weight(&stacks, |it| it.leaf() == "serve") as f64);
}

/// The job fails if a function surely grew, and only then.
pub(super) fn ci_notices(cooked: &Cooked<'_>) {
    let pair = |name: &str, work: u32| {
        for (run, more) in [(1, 0), (2, 20)] {
            let folded = format!("main;work {}\nmain;rest {}\n", work + more, 6000 - more);
            cooked.place.write(&format!("{name}-{run}.folded"), folded);
        }
    };
    pair("good", 4000);
    pair("same", 4010);
    pair("grown", 6000);
    let with = |after: &str| {
        let commands = cooked.commands.replace("main-?", "good-?").replace("branch-?", after);
        assert_ne!(commands, cooked.commands);
        cooked.place.run(&format!("{commands} && echo fine || echo status $?")).1
    };
    assert!(with("same-?").ends_with("fine\n"), "{}", with("same-?"));
    assert!(with("grown-?").ends_with("status 1\n"), "{}", with("grown-?"));
}

/// The host that differs is first, with the functions that make it so.
pub(super) fn outlier_is_first(cooked: &Cooked<'_>) {
    let hosts: Vec<&str> = cooked.result.lines().filter(|it| it.starts_with("host-")).collect();
    assert!(hosts[0].starts_with("host-417.folded") && hosts.len() >= 4, "{hosts:?}");
    assert!(hosts[0].contains("retry"), "{hosts:?}");
}

/// What was in use at the peak weighs what the list of events says of it.
pub(super) fn weighs_the_peak(cooked: &Cooked<'_>, picture: &str, recording: &str, event: &str) {
    let list = cooked.run(&format!("stack-parse --list-events {recording}"));
    let row = list.lines().find(|row| row.starts_with(&format!("{event}\t"))).expect(&list);
    let peak = row.split("peak ").nth(1).and_then(|it| it.split(' ').next()).expect(row);
    assert_eq!(sum(&cooked.drawn(picture)).to_string(), peak, "{row}");
}

/// What keeps a script with a sleep of 0.2 s waiting: the sleep, for at least that long, and no other
/// program is there.
pub(super) fn waits_for_sleep(cooked: &Cooked<'_>, file: &str) {
    const PROGRAMS: [&str; 4] = ["backup.sh", "sleep", "sh", "perf-exec"];
    let stacks = cooked.stacks(file);
    let is_of_script = |it: &Line| PROGRAMS.contains(&&it.frames[0][..]);
    assert!(stacks.iter().all(is_of_script), "{stacks:?}");
    let slept = PROGRAMS.map(|name| weight(&stacks, |it| it.frames[0] == name));
    assert!(slept.iter().any(|slept| *slept >= 200_000_000), "{slept:?} ns of {PROGRAMS:?}");
}

/// Each interval ends with a line, and all intervals are the profile.
pub(super) fn intervals_add_up(cooked: &Cooked<'_>, live: &str, picture: &str) {
    let text = cooked.text(live);
    assert!(text.lines().any(|line| line.starts_with("# end ")), "{text}");
    let all = lines(&text);
    assert!(sum(&all) > 0);
    assert_eq!(sum(&cooked.drawn(picture)), sum(&all));
}

/// make ends where a recording is damaged, and leaves neither stacks nor a picture.
pub(super) fn make_stops_at_damage(cooked: &Cooked<'_>, recording: &str, damaged: &str) {
    let place = cooked.place;
    let whole = std::fs::read(place.path(recording)).expect("a recording");
    place.write(damaged, &whole[..whole.len() / 2]);
    assert!(!place.run("make half.svg").0);
    assert!(!place.path("half.folded").exists() && !place.path("half.svg").exists());
    assert!(place.path("app.svg").exists());
    assert_eq!(sum(&cooked.drawn("app.svg")), cooked.samples_of(recording));
}
