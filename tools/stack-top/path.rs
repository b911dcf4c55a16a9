//! Paths that fit on a terminal.

use common::{Screen, printable, shortened};
use console::measure_text_width;

/// A file, maybe with a line, as it is shown in at most so many cells: `…/a/util.c:14`. Its end
/// tells it from others, so the outer folders go first.
pub(crate) fn fitted_path(path: &[u8], cells: Option<usize>) -> String {
    let path = printable(path);
    let Some(cells) = cells.filter(|&cells| measure_text_width(&path) > cells) else { return path };
    let is_separator = |(at, char): &(usize, char)| *at > 0 && matches!(char, '/' | '\\');
    let tails = path.char_indices().filter(is_separator).map(|(at, _)| &path[at..]);
    let mut tails = tails.map(|tail| format!("\u{2026}{tail}"));
    tails.find(|path| measure_text_width(path) <= cells).unwrap_or_else(|| shortened(&path, cells))
}

/// How wide a column of paths may be that has names behind it, as wide as `names` at most: they
/// share what is left of the line, and neither takes what the other needs not.
pub(crate) fn width_before_names(screen: &Screen, before: usize, names: usize) -> Option<usize> {
    let room = screen.width_of_name(before)?.saturating_sub(2);
    Some(room.saturating_sub(names).max(room / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_outer_folders() {
        for (path, cells, expected) in [
            ("/usr/src/app/a/util.c:14", Some(24), "/usr/src/app/a/util.c:14"),
            ("/usr/src/app/a/util.c:14", Some(23), "\u{2026}/src/app/a/util.c:14"),
            ("/usr/src/app/a/util.c:14", Some(13), "\u{2026}/a/util.c:14"),
            ("C:\\src\\util.c:14", Some(12), "\u{2026}\\util.c:14"),
            ("/usr/src/application.c:14", Some(10), "\u{2026}tion.c:14"),
            ("/usr/src/app/a/util.c:14", None, "/usr/src/app/a/util.c:14"),
        ] {
            assert_eq!(fitted_path(path.as_bytes(), cells), expected, "{path} {cells:?}");
        }
    }

    #[test]
    fn names_keep_half_of_the_line() {
        let screen = |columns| Screen { columns: Some(columns), ..Screen::default() };
        assert_eq!(width_before_names(&screen(80), 38, 10), Some(30));
        assert_eq!(width_before_names(&screen(80), 38, 100), Some(20));
        assert_eq!(width_before_names(&Screen::default(), 38, 10), None);
    }
}
