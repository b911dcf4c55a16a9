//! What two stacks have in common.

/// How many elements are compared at a time.
const STEP: usize = 32;

/// How many elements `one` and `other` have in common at their start: bytes of two folded stacks,
/// or frames.
#[inline]
pub fn shared_prefix<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let whole = steps.take_while(|(one, other)| one == other).count() * STEP;
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_ends_it_wherever_it_is() {
        let long: Vec<u32> = (0..100).collect();
        for length in [0, 1, 31, 32, 33, 64, 99, 100] {
            assert_eq!(shared_prefix(&long, &long[..length]), length);
            assert_eq!(shared_prefix(&long[..length], &long), length);
            let mut other = long.clone();
            other[length.min(99)] += 1;
            assert_eq!(shared_prefix(&long, &other), length.min(99));
        }
        assert_eq!(shared_prefix(b"main;parse", b"main;print"), 6);
    }
}
