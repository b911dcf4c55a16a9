//! Many tests at once.

/// Which of the hypotheses with these probabilities are rejected by Holm's
/// procedure: the chance that even one of them is true after all is below `alpha`.
pub(super) fn rejected(probabilities: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut rejected = vec![false; probabilities.len()];
    for (done, &index) in order.iter().enumerate() {
        if probabilities[index] > alpha / (probabilities.len() - done) as f64 {
            break;
        }
        rejected[index] = true;
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rejection_leaves_more_to_the_next_until_one_fails() {
        let found = rejected(&[0.012, 0.001, 0.9, 0.02], 0.05);
        assert_eq!(found, [true, true, false, true]);
        // The third would pass its own limit, but the second has failed.
        assert_eq!(rejected(&[0.01, 0.03, 0.031], 0.05), [true, false, false]);
        assert!(rejected(&[], 0.05).is_empty());
    }
}
