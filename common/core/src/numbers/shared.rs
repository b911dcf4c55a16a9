//! A weight shared among parts.

/// Shares a weight among parts in proportion to theirs, in their order. The sum is exact: what
/// rounding takes from one part the next one gets.
pub fn shared<T>(weight: u64, parts: Vec<(T, u128)>) -> impl Iterator<Item = (T, u64)> {
    let whole = parts.iter().map(|(_, part)| part).sum::<u128>().max(1);
    let (mut sum, mut given) = (0, 0);
    parts.into_iter().map(move |(what, part)| {
        sum += part;
        let until = (u128::from(weight) * sum / whole) as u64;
        let share = until - given;
        given = until;
        (what, share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_exact() {
        let shares = |weight, parts: &[u128]| {
            let parts = parts.iter().map(|part| ((), *part)).collect();
            shared(weight, parts).map(|(_, share)| share).collect::<Vec<_>>()
        };
        assert_eq!(shares(10, &[1, 1, 1]), [3, 3, 4]);
        assert_eq!(shares(u64::MAX, &[1, 0, 1]), [u64::MAX / 2, 0, u64::MAX / 2 + 1]);
        assert_eq!(shares(7, &[0, 0]), [0, 0]);
        assert_eq!(shares(7, &[]), [0; 0]);
    }
}
