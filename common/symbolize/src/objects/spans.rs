//! Ranges of addresses, which may overlap, found by an address in them.

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    /// The first address after it.
    pub(super) end: u64,
    /// What the range belongs to: a number whose meaning the owner of the spans defines.
    pub(super) what: u32,
    /// The last span before this one that reaches beyond its start.
    outer: u32,
}

/// No span reaches beyond the start.
const NO_OUTER: u32 = u32::MAX;

impl Span {
    pub(super) fn new(start: u64, end: u64, what: u32) -> Span {
        Span { start, end, what, outer: NO_OUTER }
    }
}

/// Spans, sorted by start.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// Sorts the spans; those of one start stay in their order.
    pub(super) fn new(mut spans: Vec<Span>) -> Spans {
        spans.sort_by_key(|span| span.start);
        // The spans so far that may reach beyond the next ones, by their numbers.
        let mut open: Vec<u32> = Vec::new();
        for number in 0..spans.len() {
            let start = spans[number].start;
            while open.pop_if(|last| spans[*last as usize].end <= start).is_some() {}
            spans[number].outer = open.last().copied().unwrap_or(NO_OUTER);
            open.push(u32::try_from(number).expect("fewer than the bytes of a symbol table"));
        }
        Spans(spans)
    }

    /// All spans, by their starts.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Span> {
        self.0.iter()
    }

    /// The spans that hold `address`, the one that starts last first.
    pub(super) fn at(&self, address: u64) -> impl Iterator<Item = &Span> {
        let before = self.0.partition_point(|span| span.start <= address);
        let mut next = before.checked_sub(1);
        std::iter::from_fn(move || {
            let span = self.0.get(next?)?;
            next = usize::try_from(span.outer).ok().filter(|_| span.outer != NO_OUTER);
            Some(span)
        })
        .filter(move |span| address < span.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(spans: &[(u64, u64)], address: u64) -> Vec<u32> {
        let spans = (0..).zip(spans).map(|(what, &(start, end))| Span::new(start, end, what));
        Spans::new(spans.collect()).at(address).map(|span| span.what).collect()
    }

    #[test]
    fn the_innermost_comes_first() {
        let spans = [(0, 100), (10, 20), (50, 60), (12, 15)];
        assert_eq!(found(&spans, 13), [3, 1, 0]);
        assert_eq!(found(&spans, 15), [1, 0]);
        assert_eq!(found(&spans, 55), [2, 0]);
        assert_eq!(found(&spans, 60), [0]);
        assert!(found(&spans, 100).is_empty());
        assert!(found(&[(10, 20)], 9).is_empty());
    }

    proptest! {
        #[test]
        fn all_that_hold_an_address_are_found(
            spans in prop::collection::vec((0..40u64, 0..20u64), 0..30),
            address in 0..64u64,
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, size)| (start, start + size)).collect();
            let mut ours = found(&spans, address);
            ours.sort_unstable();
            let holds = |&(start, end): &(u64, u64)| start <= address && address < end;
            let expected: Vec<u32> =
                (0..).zip(&spans).filter(|(_, span)| holds(span)).map(|(what, _)| what).collect();
            prop_assert_eq!(ours, expected);
        }
    }
}
