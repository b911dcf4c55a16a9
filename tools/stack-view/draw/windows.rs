//! Windows over the picture: the keys, and the menu of filters.

use common::names::{printable_name, shortened};
use ratatui::style::{Modifier, Style};

use super::{Canvas, width_of};
use crate::app::App;
use crate::keys::KEYS;

/// All keys.
pub(crate) fn keys(canvas: &mut Canvas<'_>) {
    let widest = KEYS.iter().map(|(key, _)| width_of(key)).max().unwrap_or(0);
    let lines = KEYS.map(|(key, what)| (format!(" {key:widest$}  {what}"), Style::new()));
    window(" Keys", &lines, canvas);
}

/// What can be asked about the current frame.
pub(crate) fn menu(app: &App, chosen: usize, canvas: &mut Canvas<'_>) {
    let name =
        app.view.current_frame().map(|it| printable_name(app.view.profile.function_name(it)));
    let title = format!(" {}", name.as_deref().unwrap_or("No function is selected"));
    let lines: Vec<(String, Style)> = app
        .menu()
        .into_iter()
        .enumerate()
        .map(|(at, (word, _))| {
            let style = if at == chosen { app.palette.of_current() } else { Style::new() };
            (format!(" {word}"), style)
        })
        .collect();
    window(&title, &lines, canvas);
}

/// Lines below a title, in the middle of the screen, as many as there is room for.
fn window(title: &str, lines: &[(String, Style)], canvas: &mut Canvas<'_>) {
    let texts = lines.iter().map(|(text, _)| width_of(text)).chain([width_of(title)]);
    let width = (texts.max().unwrap_or(0) + 1).min(canvas.width);
    let height = (lines.len() + 1).min(canvas.height);
    let (left, top) = ((canvas.width - width) / 2, (canvas.height - height) / 2);
    let bold = Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED);
    let title = [(title.to_owned(), bold)];
    for ((text, style), line) in title.iter().chain(lines).zip(top..top + height) {
        canvas.fill(left, left + width, line, " ", *style);
        canvas.text_in(left, line, &shortened(text, width), width, *style);
    }
}
