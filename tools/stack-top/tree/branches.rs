//! The branches before the names of the tree.

use common::io::Screen;

/// How branches are drawn, in [`LEVEL`] columns for each level.
pub(super) struct Branches {
    /// Before a child that has a sibling below it, and before what that child calls.
    pub(super) inner: [&'static str; 2],
    /// Before the last child, and before what that child calls.
    pub(super) last: [&'static str; 2],
}

/// The columns of a level.
const LEVEL: usize = 3;

pub(super) const BOXES: Branches =
    Branches { inner: ["\u{251c}\u{2500} ", "\u{2502}  "], last: ["\u{2514}\u{2500} ", "   "] };

pub(super) const ASCII: Branches = Branches { inner: ["|- ", "|  "], last: ["`- ", "   "] };

/// How much room branches get.
pub(super) struct Indent {
    /// The columns of a level, from 1 to [`LEVEL`]: the same in all lines.
    level: usize,
    /// The columns of all levels of a line.
    most: usize,
}

impl Indent {
    /// On a terminal, at least half of the room after `before` columns is for names: so the deeper
    /// the tree, the narrower its levels. In a pipe all branches are whole.
    pub(super) fn of<'a>(
        lines: impl Iterator<Item = &'a str>,
        screen: &Screen,
        before: usize,
    ) -> Indent {
        let Some(room) = screen.width_of_name(before) else {
            return Indent { level: LEVEL, most: usize::MAX };
        };
        let levels = lines.map(|branches| branches.chars().count() / LEVEL).max().unwrap_or(0);
        let most = room / 2;
        let level = most.checked_div(levels).unwrap_or(LEVEL).clamp(1, LEVEL);
        Indent { level, most }
    }

    /// The branches of a line. If they do not fit even so, only the last levels are drawn, after
    /// a dot.
    pub(super) fn narrowed(&self, branches: &str) -> String {
        let all: Vec<char> = branches.chars().collect();
        let levels = all.chunks(LEVEL);
        let narrow = levels.flat_map(|level| [&level[..1], &level[1 + LEVEL - self.level..]]);
        let mut narrow: Vec<char> = narrow.flatten().copied().collect();
        // A wider level ends in a blank.
        narrow.extend((self.level == 1 && !narrow.is_empty()).then_some(' '));
        if narrow.len() <= self.most {
            return narrow.into_iter().collect();
        }
        let left_out = narrow.len() + 1 - self.most;
        ['\u{2026}'].iter().chain(&narrow[left_out..]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deeper_tree_has_narrower_levels() {
        let [inner, below] = BOXES.inner;
        let line = |levels: usize| below.repeat(levels - 1) + inner;
        let drawn = |deepest: usize, levels: usize, columns| {
            let screen = Screen { columns, ..Screen::default() };
            let (deepest, line) = (line(deepest), line(levels));
            Indent::of([&*deepest, &line].into_iter(), &screen, 20).narrowed(&line)
        };
        assert_eq!(drawn(6, 2, Some(60)), "\u{2502}  \u{251c}\u{2500} ");
        assert_eq!(drawn(7, 2, Some(60)), "\u{2502} \u{251c} ");
        assert_eq!(drawn(11, 2, Some(60)), "\u{2502}\u{251c} ");
        assert_eq!(drawn(19, 19, Some(60)), "\u{2502}".repeat(18) + "\u{251c} ");
        let deep = drawn(21, 21, Some(60));
        assert_eq!(deep, "\u{2026}".to_owned() + &"\u{2502}".repeat(17) + "\u{251c} ");
        assert_eq!(drawn(21, 21, None), line(21));
        assert_eq!(Indent::of([""].into_iter(), &Screen::default(), 20).narrowed(""), "");
    }
}
