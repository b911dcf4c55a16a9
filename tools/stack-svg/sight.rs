//! Which rows of a deep picture are in sight without the script: those next to the roots. Programs
//! show the upper edge of a picture, or all of it as small as it must be; and the upper edge of a
//! high picture has only the tops of towers.

use crate::profile::Node;

/// The rows that a page of paper has room for, besides that of the whole.
const ROWS_OF_PAGE: usize = 95;

/// More rows would be too small on a page to be read.
const MOST_ROWS: usize = 300;

/// In a picture that is higher than a page, rows with less than this part of the weight are out of
/// sight: they are the tops of narrow towers.
const LEAST_PART: f64 = 0.01;

/// How many rows are in sight, besides that of the whole.
pub(crate) fn rows_in_sight(nodes: &[Node]) -> usize {
    let deepest = nodes.iter().map(|node| node.depth as usize).max().unwrap_or(0);
    let mut weights = vec![0.0; deepest + 1];
    for node in nodes {
        weights[node.depth as usize] += node.weight as f64;
    }
    let least = LEAST_PART * weights[0];
    let wide = weights.iter().rposition(|&weight| weight >= least).unwrap_or(0);
    deepest.min(wide.clamp(ROWS_OF_PAGE, MOST_ROWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows in sight of a tower on the whole, that weighs 1000.
    fn rows(height: usize, weight: u64) -> usize {
        let whole = Node { weight: 1000, ..Node::default() };
        let tower = (1..=height as u32).map(|depth| Node { depth, weight, ..Node::default() });
        rows_in_sight(&[whole].into_iter().chain(tower).collect::<Vec<_>>())
    }

    #[test]
    fn a_narrow_tower_ends_with_the_page_and_a_wide_one_where_it_must() {
        for (height, weight, expected) in
            [(0, 1, 0), (95, 1, 95), (96, 9, 95), (96, 10, 96), (300, 10, 300), (9000, 1000, 300)]
        {
            assert_eq!(rows(height, weight), expected, "{height} of {weight}");
        }
    }
}
