//! The room for paths beside names.

use common::io::Screen;

/// How wide a column of paths may be before a column of names that is at most `names` wide: the
/// paths get what the names do not need, but at least half of the room.
pub(crate) fn width_before_names(screen: &Screen, before: usize, names: usize) -> Option<usize> {
    let room = screen.width_of_name(before)?.saturating_sub(2);
    Some(room.saturating_sub(names).max(room / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_half_of_the_line() {
        let screen = |columns| Screen { columns: Some(columns), ..Screen::default() };
        assert_eq!(width_before_names(&screen(80), 38, 10), Some(30));
        assert_eq!(width_before_names(&screen(80), 38, 100), Some(20));
        assert_eq!(width_before_names(&Screen::default(), 38, 10), None);
    }
}
