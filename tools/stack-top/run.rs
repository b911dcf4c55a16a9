//! A run of names in one line of the screen.

use common::io::Screen;
use common::names::{fitted, printable_name};
use console::measure_text_width;

/// Names of frames that call one another, with `;` between them. What does not fit on a terminal is
/// left out after the first: `main;...;Db.query`.
pub(crate) fn run(screen: &Screen, names: &[&[u8]], before: usize) -> Vec<u8> {
    let text = |name: &&[u8]| printable_name(name);
    let (Some(width), [first, rest @ .., last]) = (screen.width_of_name(before), names) else {
        let texts: Vec<String> = names.iter().map(text).collect();
        return screen.name(texts.join(";").as_bytes(), before).into_bytes();
    };
    let (ends, texts) = ([text(first), text(last)], rest.iter().map(text).collect::<Vec<_>>());
    let width_of = |text: &String| measure_text_width(text) + 1;
    let mut needed: usize = ends.iter().chain(&texts).map(width_of).sum::<usize>() - 1;
    let mut kept = texts.iter();
    // As wide as a dot and a `;`, once something is left out.
    let mut dots = 0;
    while needed + dots > width
        && let Some(left_out) = kept.next()
    {
        needed -= width_of(left_out);
        dots = 2;
    }
    if needed + dots <= width {
        let dots = (dots > 0).then_some("\u{2026}");
        let inner = dots.into_iter().chain(kept.map(String::as_str));
        let all = [&ends[0][..]].into_iter().chain(inner).chain([&ends[1][..]]);
        return all.collect::<Vec<_>>().join(";").into_bytes();
    }
    let dots = "\u{2026};";
    [dots, &fitted(&ends[1], width - dots.chars().count())].concat().into_bytes()
}
