//! Lines that are no longer than a page is wide.

use console::{measure_text_width, truncate_str};

/// The most columns of a line.
pub(crate) const WIDTH: usize = 100;

/// The beginning of a text, as much as fits.
pub(crate) fn cut(text: &str, width: usize) -> String {
    truncate_str(text, width, "\u{2026}").into_owned()
}

/// The words of a text in lines.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        let room = width.saturating_sub(measure_text_width(line) + 1);
        match line.is_empty() {
            true => line.push_str(&cut(word, width)),
            false if measure_text_width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(cut(word, width)),
        }
    }
    lines
}
