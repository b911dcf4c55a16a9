//! Prints many profiles: a line for each, the most unlike first.

use common::io::{Screen, push_field};
use common::names::{fitted, fitted_path, printable, printable_name};
use common::numbers::grouped;
use console::measure_text_width;
use serde::Serialize;

use super::{Difference, NAMED, Outliers, Unlike};
use crate::report::Format;

/// The lines of the answer.
pub(crate) fn lines(outliers: &Outliers, format: Format) -> Vec<Vec<u8>> {
    match format {
        Format { tsv: true, .. } => tsv(outliers),
        Format { json: true, .. } => json(outliers),
        Format { markdown: true, .. } => markdown(outliers),
        _ => text(outliers, &Screen::of_stdout()),
    }
}

/// The least width of a function's name on a terminal.
const LEAST_NAME: usize = 16;

/// `host-417   5,021  31.2*  leak +3.00% self, main -0.20% self`
fn text(outliers: &Outliers, screen: &Screen) -> Vec<Vec<u8>> {
    let titles = ["PROFILE", "SAMPLES", "ERRORS"].map(str::to_owned);
    let rows: Vec<[String; 3]> = outliers
        .profiles
        .iter()
        .map(|it| {
            let [name, samples, errors] = cells(outliers, it, "*");
            // Most profiles are files.
            let most = screen.columns.map(|columns| columns / 3);
            [fitted_path(name.as_bytes(), most), samples, errors]
        })
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|cells| &cells[column]).chain([&titles[column]]);
        cells.map(|cell| measure_text_width(cell)).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let line = |cells: &[String; 3], functions: &str| {
        let [name, samples, errors] = cells;
        let fill = widths[0] - measure_text_width(name);
        let [_, second, third] = widths;
        format!("{name}{:fill$}  {samples:>second$}  {errors:>third$}  {functions}", "")
            .into_bytes()
    };
    let room = screen.width_of_name(widths.iter().map(|width| width + 2).sum());
    let mut lines = vec![line(&titles, "FUNCTIONS")];
    for (cells, profile) in rows.iter().zip(&outliers.profiles) {
        let functions = named(outliers, profile);
        let functions = match room {
            Some(room) => fit(functions, room),
            None => joined(&functions),
        };
        lines.push(line(cells, &functions));
    }
    lines.push(Vec::new());
    lines.extend(foot(outliers).map(String::into_bytes));
    lines
}

fn cells(outliers: &Outliers, profile: &Unlike, mark: &str) -> [String; 3] {
    let errors = profile.errors();
    let mark = if errors > outliers.limit { mark } else { "" };
    let fill = if mark.is_empty() { " " } else { "" };
    [
        printable(profile.name.as_bytes()),
        grouped(profile.samples.round() as u64),
        format!("{errors:.1}{mark}{fill}"),
    ]
}

/// A function, and what is said of it: ` +3.00% self`.
type Named = (String, String);

/// The functions that make a profile unlike, as far as chance does not explain them; all functions
/// of a profile that is like the others.
fn named(outliers: &Outliers, profile: &Unlike) -> Vec<Named> {
    let is_real = profile.errors() > outliers.limit;
    let shown = |it: &&Difference| !is_real || it.errors > outliers.limit;
    let functions = profile.functions.iter().filter(shown).map(|it| {
        let which = if it.is_own { "self" } else { "total" };
        (printable_name(outliers.function(it)), format!(" {} {which}", change(it)))
    });
    functions.collect()
}

fn joined(functions: &[Named]) -> String {
    let functions = functions.iter().map(|(name, said)| [&name[..], said].concat());
    functions.collect::<Vec<_>>().join(", ")
}

/// As many of the functions, and as much of their names, as fit into `room` columns; at least one.
/// `, …` stands for those that are left out.
fn fit(mut functions: Vec<Named>, room: usize) -> String {
    const SEPARATOR: usize = ", ".len();
    const LEFT_OUT: &str = ", \u{2026}";
    // No separator comes after the last one.
    let room = room + SEPARATOR;
    let mut left_out = "";
    let least =
        |(name, said): &Named| measure_text_width(name).min(LEAST_NAME) + said.len() + SEPARATOR;
    while functions.len() > 1
        && functions.iter().map(least).sum::<usize>() + measure_text_width(left_out) > room
    {
        functions.pop();
        left_out = LEFT_OUT;
    }
    let said: usize = functions.iter().map(|(_, said)| said.len() + SEPARATOR).sum();
    let mut room = room.saturating_sub(said + measure_text_width(left_out));
    // What a short name does not need is for the longer ones.
    let mut names: Vec<&mut String> = functions.iter_mut().map(|(name, _)| name).collect();
    names.sort_by_key(|name| measure_text_width(name));
    for (longer, name) in names.into_iter().rev().enumerate().rev() {
        *name = fitted(name, (room / (longer + 1)).max(LEAST_NAME));
        room = room.saturating_sub(measure_text_width(name));
    }
    joined(&functions) + left_out
}

/// `+3.00%`: how much more of the profile it is than of the others.
fn change(difference: &Difference) -> String {
    format!("{:+.2}%", difference.here - difference.elsewhere)
}

/// What the table does not say by itself.
fn foot(outliers: &Outliers) -> [String; 2] {
    let odd = outliers.profiles.iter().filter(|it| it.errors() > outliers.limit).count();
    let [odd, all] = [odd, outliers.profiles.len()].map(|count| grouped(count as u64));
    [
        format!("* chance does not explain it: {odd} of {all} profiles"),
        format!(
            "ERRORS: how many standard errors the largest difference from all others is; \
             functions vary by {:.1}%.",
            100.0 * outliers.variation
        ),
    ]
}

fn markdown(outliers: &Outliers) -> Vec<Vec<u8>> {
    let mut lines = vec![b"| profile | samples | errors | functions |".to_vec()];
    lines.push(b"|---|--:|--:|---|".to_vec());
    for profile in &outliers.profiles {
        let cells = cells(outliers, profile, "*").map(|cell| escaped(cell.trim()));
        let functions = escaped(&joined(&named(outliers, profile)));
        lines.push(format!("| {} | {functions} |", cells.join(" | ")).into_bytes());
    }
    lines.push(Vec::new());
    lines.extend(foot(outliers).map(|line| escaped(&line).into_bytes()));
    lines
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('*', "\\*")
}

/// `profile samples errors listed`, and for each of the functions its name, measure and change.
fn tsv(outliers: &Outliers) -> Vec<Vec<u8>> {
    let mut titles = "profile\tsamples\terrors\tlisted".to_owned();
    for number in 1..=NAMED {
        titles.push_str(&format!(
            "\tfunction{number}\tweight{number}\there{number}\telsewhere{number}"
        ));
    }
    let mut lines = vec![titles.into_bytes()];
    for profile in &outliers.profiles {
        let mut line = Vec::new();
        push_field(&printable(profile.name.as_bytes()), &mut line);
        let (errors, listed) = (profile.errors(), u8::from(profile.errors() > outliers.limit));
        line.extend(format!("\t{}\t{errors:.3}\t{listed}", profile.samples.round()).into_bytes());
        for number in 0..NAMED {
            line.push(b'\t');
            let Some(it) = profile.functions.get(number) else {
                line.extend_from_slice(b"\t\t\t");
                continue;
            };
            push_field(&printable(outliers.function(it)), &mut line);
            let which = if it.is_own { "self" } else { "total" };
            line.extend(format!("\t{which}\t{:.4}\t{:.4}", it.here, it.elsewhere).into_bytes());
        }
        lines.push(line);
    }
    lines
}

#[derive(Serialize)]
struct Document {
    /// How much functions vary from profile to profile, in percent of each.
    noise: f64,
    /// More standard errors than this are hardly chance.
    limit: f64,
    profiles: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    profile: String,
    samples: f64,
    errors: f64,
    listed: bool,
    functions: Vec<Function>,
}

#[derive(Serialize)]
struct Function {
    function: String,
    weight: &'static str,
    here: f64,
    elsewhere: f64,
    errors: f64,
}

fn json(outliers: &Outliers) -> Vec<Vec<u8>> {
    let function = |it: &Difference| Function {
        function: printable(outliers.function(it)),
        weight: if it.is_own { "self" } else { "total" },
        here: it.here,
        elsewhere: it.elsewhere,
        errors: it.errors,
    };
    let row = |profile: &Unlike| Row {
        profile: printable(profile.name.as_bytes()),
        samples: profile.samples,
        errors: profile.errors(),
        listed: profile.errors() > outliers.limit,
        functions: profile.functions.iter().map(function).collect(),
    };
    let document = Document {
        noise: 100.0 * outliers.variation,
        limit: outliers.limit,
        profiles: outliers.profiles.iter().map(row).collect(),
    };
    vec![serde_json::to_vec(&document).expect("numbers and text")]
}
