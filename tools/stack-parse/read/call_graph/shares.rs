//! Shares of weights.

/// Shares as integers, with ten bits after the point if they are not too large for that.
pub(super) fn fixed(shares: impl Iterator<Item = f64> + Clone) -> impl Iterator<Item = u128> {
    const MOST: f64 = (1_u64 << 62) as f64;
    let sum: f64 = shares.clone().sum();
    let scale = (MOST / sum).min(1024.0);
    shares.map(move |share| (share * scale) as u128)
}
