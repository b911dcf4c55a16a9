use proptest::prelude::*;

use super::*;
use crate::samples::sources::Who;

const WAKER: Waker = Waker { who: Who::Thread(9), stack: None };

fn left(teller: Teller, is_preempted: bool) -> Left {
    Left { teller, is_preempted, leaf: Some(1) }
}

/// Applies what happens, as letters: `i` and `o` are told by the tracepoint, `I` and `O` by the
/// other record; `p` is a preemption, `w` a waking, `s` a sample, `a` another record.
fn apply(timeline: &mut Timeline, what: &str) {
    for (index, letter) in what.chars().enumerate() {
        let time = 10 + 10 * index as u64;
        match letter {
            'i' => timeline.switch_in(time, Teller::Tracepoint),
            'I' => timeline.switch_in(time, Teller::Record),
            'o' => timeline.switch_out(time, left(Teller::Tracepoint, false)),
            'O' => timeline.switch_out(time, left(Teller::Record, false)),
            'p' => timeline.switch_out(time, left(Teller::Tracepoint, true)),
            'w' => timeline.wake(time, WAKER),
            's' => timeline.act(time, Some(2)),
            'a' => timeline.act(time, None),
            _ => {}
        }
    }
    timeline.end(10 + 10 * what.len() as u64);
}

/// What a thread did from 0 on: a letter for each state and its length in tens.
fn did(mut timeline: Timeline, what: &str) -> String {
    apply(&mut timeline, what);
    let letter = |state| match state {
        State::Running => 'R',
        State::Runnable => 'r',
        State::Waiting => 'W',
        State::WaitingOrRunnable => 'x',
        State::NotRecorded => '?',
    };
    let piece = |it: &Piece| format!("{}{}", letter(it.state), (it.to - it.from) / 10);
    timeline.pieces.iter().map(piece).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_state_ends_with_the_record_that_says_so() {
    for (what, expected) in [
        ("o.w.i", "R1 W2 r2 R1"),
        // Both kinds of records tell of one switch.
        ("oOwiI.", "R1 W2 r1 R3"),
        ("p..i", "R1 r3 R1"),
        // Woken before it had left.
        ("wo.i", "R2 r2 R1"),
        // What it did before its first switch, by that one.
        ("aao", "R3 W1"),
        ("..i", "?3 R1"),
        ("..a", "R4"),
        ("w.i", "?1 r2 R1"),
        // A sample between the two records of a switch.
        ("ow.sI.", "R1 W1 r3 R2"),
        // It came back, and nobody recorded when.
        ("o.w.a.o", "R1 W2 ?2 R2 W1"),
        ("o.a.o", "R1 W2 R2 W1"),
        ("o.wo", "R1 W2 ?1 W1"),
        ("o...o", "R1 ?4 W1"),
        ("O...o", "R1 W5"),
        // It left, and nobody recorded when.
        ("i.a.i", "?1 R2 ?2 R1"),
        ("i.i", "?3 R1"),
    ] {
        assert_eq!(did(Timeline::from_start(0, false), what), expected, "{what}");
    }
}

#[test]
fn a_new_thread_is_runnable_and_a_watched_one_was_away() {
    assert_eq!(did(Timeline::made(0, WAKER), ".i.o"), "r2 R2 W1");
    assert_eq!(did(Timeline::made(0, WAKER), ".a.o"), "r2 R2 W1");
    assert_eq!(did(Timeline::from_start(0, true), ".i"), "x2 R1");
    assert_eq!(did(Timeline::from_start(0, true), ".w.i"), "W2 r2 R1");
    assert_eq!(did(Timeline::from_start(0, true), ".o"), "R2 W1");
}

#[test]
fn samples_stand_for_the_time_nearest_to_them() {
    assert_eq!(did(Timeline::from_start(0, false), "i.s...s.s..o"), "?1 R4 R3 R4 W1");
}

proptest! {
    #[test]
    fn pieces_follow_each_other_from_the_first_to_the_last_moment(
        what in "[iIoOpwsa.]{0,40}", start in 0..3u8,
    ) {
        let mut timeline = match start {
            0 => Timeline::from_start(0, false),
            1 => Timeline::from_start(0, true),
            _ => Timeline::made(0, WAKER),
        };
        apply(&mut timeline, &what);
        let mut time = 0;
        for piece in &timeline.pieces {
            prop_assert_eq!(piece.from, time);
            prop_assert!(piece.to > piece.from);
            time = piece.to;
        }
        prop_assert_eq!(time, 10 + 10 * what.len() as u64);
    }
}
