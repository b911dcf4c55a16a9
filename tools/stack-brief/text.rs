//! Rows as lines of Markdown.

use common::folded::ThreadState;
use common::markdown::code;
use common::names::FrameParts;
use common::sources::Sources;
use common::trust::percent;
use console::measure_text_width;

use crate::chains::{Call, Callers};
use crate::excerpt;
use crate::names::{caller_text, name_text, range_text};
use crate::page::PageRow;
use crate::profile::{Column, Measure, Profile};
use crate::rows::{Line, Row};
use crate::width::{WIDTH, cut};

/// A row with less than this share of the whole has one line only, unless it is the first.
const LEAST: f64 = 0.2;

/// How many rows are parts of their own at most.
const WHOLE: usize = 3;

/// A column with less than this share of its total in a row is not in the heading of the row.
const LEAST_OF_COLUMN: f64 = 0.001;

/// The rows of a page.
pub(crate) fn rows(profile: &Profile, rows: &[Row<'_>], sources: &Sources) -> Vec<PageRow> {
    let whole = profile.ranked_total();
    let share = |row: &Row<'_>| row.charged.rank as f64 / whole as f64;
    let of = |(at, row): (usize, &Row<'_>)| PageRow {
        whole: (at == 0 || at < WHOLE && (share(row) >= LEAST || row.change.is_some()))
            .then(|| whole_row(profile, row, sources)),
        line: one_line(row, share(row), sources),
        share: share(row),
    };
    rows.iter().enumerate().map(of).collect()
}

/// The columns that are shown: the critical path, waiting and running, or the only weight.
pub(crate) fn shown_columns(profile: &Profile) -> Vec<usize> {
    let is_shown = |column: &Column| match column.measure {
        Measure::Event => false,
        // It says the same as the next column.
        Measure::Path => !only_ran(profile),
        Measure::State(ThreadState::Runnable | ThreadState::NotRecorded) => false,
        Measure::State(ThreadState::Running) => profile.column(Measure::Processor).is_none(),
        _ => true,
    };
    let columns = profile.columns.iter().enumerate();
    columns.filter(|(_, it)| is_shown(it) && it.total > 0).map(|(at, _)| at).collect()
}

/// Whether there is one thread, which ran nearly all the time.
fn only_ran(profile: &Profile) -> bool {
    let total = |measure| profile.column(measure).map_or(0, |column| column.total);
    let others = ThreadState::ALL.into_iter().filter(|state| *state != ThreadState::Running);
    let others: u64 = others.map(|state| total(Measure::State(state))).sum();
    profile.threads == Some(1) && others < total(Measure::Path) / 50
}

fn whole_row(profile: &Profile, row: &Row<'_>, sources: &Sources) -> Vec<String> {
    let columns = shown_columns(profile);
    let lines = excerpt::lines(row, sources);
    let numbers: Vec<u32> = lines.iter().filter(|line| line.rank > 0).map(|it| it.number).collect();
    let weights = row.change.clone().unwrap_or_else(|| weights_text(profile, &columns, row));
    let mut text = heading(row, &numbers, &weights);
    text.push(String::new());
    text.extend(
        table(profile, &columns, &lines, row, sources).iter().map(|it| format!("    {it}")),
    );
    text.extend(called_by("called by  ", &row.callers, row).map(|it| format!("    {it}")));
    let waiters = row.waiters.as_ref().and_then(|it| called_by("waits in   ", it, row));
    text.extend(waiters.map(|it| format!("    {it}")));
    text.extend(goes_into(row).into_iter().map(|it| format!("    {it}")));
    text
}

/// `## `ingest::Journal::append` src/ingest.cpp:74-79, 83.5 % of CPU, 71.8 s of waiting`, over two
/// lines where that is too long for one.
fn heading(row: &Row<'_>, numbers: &[u32], weights: &str) -> Vec<String> {
    let name = code(&name_text(row.name, 60));
    let place = match row.file {
        b"" => String::new(),
        file => range_text(file, numbers, 60),
    };
    let parts: Vec<&str> = [&*place, weights].into_iter().filter(|it| !it.is_empty()).collect();
    let rest = parts.join("  ");
    let one = format!("## {name}  {rest}");
    match measure_text_width(&one) <= WIDTH {
        true => vec![one],
        false => vec![cut(&format!("## {name}"), WIDTH), String::new(), cut(&rest, WIDTH)],
    }
}

/// `46.8 % of the critical path, 71.8 s of waiting`
fn weights_text(profile: &Profile, columns: &[usize], row: &Row<'_>) -> String {
    let texts = columns.iter().filter_map(|&at| {
        let (column, weight) = (&profile.columns[at], row.charged.weights[at]);
        let share = weight as f64 / column.total as f64;
        let whose =
            if column.is_waiting() && profile.threads > Some(1) { " in all threads" } else { "" };
        (share >= LEAST_OF_COLUMN)
            .then(|| format!("{} of {}{whose}", cell(column, weight), column.word()))
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Waiting is shown as time, since many threads may do it at once; the rest as a share.
fn cell(column: &Column, weight: u64) -> String {
    match column.measure {
        _ if weight == 0 => ".".to_owned(),
        Measure::State(state) if state.is_away() => column.unit.number(weight),
        _ => percent(weight as f64 / column.total as f64),
    }
}

/// The lines with what each column has of them.
fn table(
    profile: &Profile,
    columns: &[usize],
    lines: &[Line<'_>],
    row: &Row<'_>,
    sources: &Sources,
) -> Vec<String> {
    let texts = excerpt::texts(lines, sources.get(row.file));
    if lines.is_empty() {
        return Vec::new();
    }
    if texts.iter().all(Option::is_none) {
        return vec![numbers_text(row, lines)];
    }
    let heads = columns.iter().map(|&at| profile.columns[at].head().to_owned()).collect();
    let mut cells: Vec<Vec<String>> = if columns.len() > 1 { vec![heads] } else { Vec::new() };
    cells.extend(lines.iter().map(|line| {
        columns.iter().map(|&at| cell(&profile.columns[at], line.weights[at])).collect()
    }));
    let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let padded = |cells: &[String]| -> String {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        padded.collect::<Vec<_>>().join("  ")
    };
    let without_heads = cells.len() - lines.len();
    let heads = cells[..without_heads].iter().map(|cells| padded(cells));
    let rows = cells[without_heads..].iter().zip(lines).zip(texts).map(|((cells, line), text)| {
        let text = format!("{}  {}  {}", padded(cells), line.number, text.unwrap_or_default());
        cut(text.trim_end(), WIDTH - 4)
    });
    heads.chain(rows).collect()
}

/// `lines  ingest.cpp:78 (46.8 %), ingest.cpp:75 (5.0 %)`, with shares of the row, where the source is
/// not known.
fn numbers_text(row: &Row<'_>, lines: &[Line<'_>]) -> String {
    let mut heaviest: Vec<&Line<'_>> = lines.iter().collect();
    heaviest.sort_by_key(|line| (std::cmp::Reverse(line.rank), line.number));
    let named = heaviest.iter().map(|line| {
        let share = percent(line.rank as f64 / row.charged.rank as f64);
        format!("{} ({share})", range_text(line.path, &[line.number], 40))
    });
    cut(&format!("lines  {}", named.collect::<Vec<_>>().join(", ")), WIDTH - 4)
}

/// `called by  main:192 > Server::handle:174 > append  (100.0 %)`; the outer callers are left out where
/// there is no room.
fn called_by(head: &str, callers: &Callers<'_>, row: &Row<'_>) -> Option<String> {
    let share = |weight: u64| percent(weight as f64 / callers.whole as f64);
    let split = callers
        .split
        .iter()
        .map(|(caller, weight)| format!("{} ({})", caller_text(caller, row.file), share(*weight)));
    let split: Vec<String> = split.collect();
    let mut chain: Vec<String> = callers.chain.iter().map(|it| caller_text(it, row.file)).collect();
    if chain.is_empty() && split.is_empty() {
        return None;
    }
    chain.push(name_text(row.name, 20));
    let text = |chain: &[String], is_cut: bool| match (split.is_empty(), is_cut) {
        (true, false) => format!("{head}{}  ({})", chain.join(" > "), share(callers.weight)),
        (true, true) => {
            format!("{head}\u{2026} > {}  ({})", chain.join(" > "), share(callers.weight))
        }
        (false, false) => format!("{head}{} > {}", split.join(" or "), chain.join(" > ")),
        (false, true) => format!("{head}{} > \u{2026} > {}", split.join(" or "), chain.join(" > ")),
    };
    let fits = |text: &String| measure_text_width(text) <= WIDTH - 4;
    let shorter = (1..chain.len()).map(|first| text(&chain[first..], true));
    let found = [text(&chain, false)].into_iter().chain(shorter).find(fits);
    Some(found.unwrap_or_else(|| cut(&text(&chain, false), WIDTH - 4)))
}

/// `goes into  fdatasync > ext4_sync_file > … > iowrite16 (kernel, 46.8 %)`, one line for each callee.
fn goes_into(row: &Row<'_>) -> Vec<String> {
    let heads = ["goes into  "].into_iter().chain(std::iter::repeat("           "));
    let text = |(call, head): (&Call<'_>, &str)| {
        let share = percent(call.weight as f64 / row.charged.rank as f64);
        let last = call.chain[call.chain.len() - 1];
        let kind = if FrameParts::of(last).has_mark(b'k') { "kernel, " } else { "" };
        let with = |letters| format!("{head}{} ({kind}{share})", chain(&call.chain, letters));
        let fits = |text: &String| measure_text_width(text) <= WIDTH - 4;
        let found = LETTERS.into_iter().map(with).find(fits);
        found.unwrap_or_else(|| cut(&with(0), WIDTH - 4))
    };
    row.calls.list.iter().zip(heads).map(text).collect()
}

/// How many letters names have, the first numbers with which all fit into a line.
const LETTERS: [usize; 4] = [30, 24, 20, 16];

/// How every call of the kernel begins.
const ENTRIES: [&[u8]; 6] = [
    b"entry_SYSCALL_64_after_hwframe",
    b"do_syscall_64",
    b"x64_sys_call",
    b"el0t_64_sync_handler",
    b"el0_svc",
    b"invoke_syscall",
];

/// The first two names of a chain of calls, and the last one.
fn chain(frames: &[&[u8]], letters: usize) -> String {
    let mut names: Vec<&[u8]> = frames.iter().map(|frame| FrameParts::of(frame).name).collect();
    names.retain(|name| !ENTRIES.contains(name));
    // An inlined function may have the name of the one that it is in.
    names.dedup();
    let named =
        |names: &[&[u8]]| names.iter().map(|name| name_text(name, letters)).collect::<Vec<_>>();
    let shown = match &names[..] {
        [] => named(&[FrameParts::of(frames[0]).name]),
        [first, second, _, .., last] if names.len() > 3 => {
            let dots = vec!["\u{2026}".to_owned()];
            [named(&[first, second]), dots, named(&[last])].concat()
        }
        all => named(all),
    };
    shown.join(" > ")
}

/// `- 6.8 %  `parse`  ingest.cpp:168  parser_.parse(line, e)`; the source has a line of its own where it
/// is too long.
fn one_line(row: &Row<'_>, share: f64, sources: &Sources) -> String {
    let name = code(&name_text(row.name, 40));
    let share = row.change.clone().unwrap_or_else(|| percent(share));
    let mut text = format!("- {share}  {name}");
    let Some(line) = row.lines.first() else { return cut(&text, WIDTH) };
    text.push_str(&format!("  {}", range_text(line.path, &[line.number], 30)));
    let source = excerpt::texts(std::slice::from_ref(line), sources.get(line.path));
    let Some(Some(source)) = source.first() else { return cut(&text, WIDTH) };
    let one = format!("{text}  {}", source.trim());
    match measure_text_width(&one) <= WIDTH {
        true => one,
        false => format!("{}\n{}", cut(&text, WIDTH), cut(&format!("  {}", source.trim()), WIDTH)),
    }
}
