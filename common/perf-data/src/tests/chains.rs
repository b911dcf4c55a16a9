//! Call chains that samples do not hold themselves.

use super::build::{Stream, field, read, why};
use crate::events::attr::branches;
use crate::sample::context::{KERNEL, USER, USER_DEFERRED};

fn chains(stream: &Stream) -> Vec<(Vec<u64>, bool)> {
    let (seen, summary) = read(&stream.0);
    assert_eq!(why(&summary), None);
    seen.into_iter().map(|seen| (seen.chain, seen.lacks_user_chain)).collect()
}

#[test]
fn branches_take_the_place_of_the_programs_frames() {
    let fields = field::IP | field::CALLCHAIN | field::BRANCH_STACK;
    let asked = |what| Stream::new().attr_with(fields, |attr| attr.branch_sample_type = what);
    // a calls b, b calls c: from and to of each call, the latest first.
    let calls = [2, 0xb1, 0xc0, 0, 0xa1, 0xb0, 0];
    let sample = |chain: &[u64]| [&[0xc5, chain.len() as u64][..], chain, &calls].concat();
    let in_kernel = sample(&[KERNEL, 0x9, USER, 0xc5]);
    let stream = asked(branches::CALL_STACK).sample(&in_kernel);
    assert_eq!(chains(&stream), [(vec![KERNEL, 0x9, USER, 0xc0, 0xb1, 0xa1], false)]);
    // A thread of the kernel has no calls of a program.
    let stream = asked(branches::CALL_STACK).sample(&sample(&[KERNEL, 0x9]));
    assert_eq!(chains(&stream), [(vec![KERNEL, 0x9], false)]);
    // Branches that are not calls are not a chain.
    let stream = asked(0).sample(&in_kernel);
    assert_eq!(chains(&stream), [(vec![KERNEL, 0x9, USER, 0xc5], false)]);
}

/// Samples of two threads whose chains come later. Their records end with process and
/// thread.
fn deferred() -> Stream {
    let sample = |stream: Stream, tid: u64, cookie: u64| {
        stream.sample(&[0x10, tid << 32 | 1, 4, KERNEL, 0x9, USER_DEFERRED, cookie])
    };
    let stream = Stream::new().attr(field::IP | field::TID | field::CALLCHAIN, 0);
    sample(sample(sample(stream, 7, 70), 8, 80), 7, 71)
}

/// CALLCHAIN_DEFERRED: the cookie, the chain, process and thread.
fn user_chain(stream: Stream, tid: u64, cookie: u64, chain: &[u64]) -> Stream {
    let ids = [tid << 32 | 1];
    stream.numbers(22, 2, &[&[cookie, chain.len() as u64], chain, &ids].concat())
}

#[test]
fn chains_that_come_later_are_put_where_they_belong() {
    let stream = user_chain(deferred(), 8, 80, &[USER, 0xa, 0xb]);
    // Only the second sample of the thread waited for this; it has no marker either.
    let stream = user_chain(stream, 7, 71, &[0xc]);
    assert_eq!(
        chains(&stream),
        [
            (vec![KERNEL, 0x9, USER, 0xa, 0xb], false),
            (vec![KERNEL, 0x9], true),
            (vec![KERNEL, 0x9, USER, 0xc], false),
        ]
    );
    assert_eq!(read(&stream.0).1.without_user_chain, 1);
}

#[test]
fn samples_whose_chains_never_come_keep_what_they_have() {
    assert_eq!(chains(&deferred()), vec![(vec![KERNEL, 0x9], true); 3]);
    assert_eq!(read(&deferred().0).1.without_user_chain, 3);
    let tids: Vec<_> = read(&deferred().0).0.iter().map(|seen| seen.tid).collect();
    assert_eq!(tids, [Some(7), Some(8), Some(7)]);
}
