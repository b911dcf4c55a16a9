use std::collections::{HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{Folder, LONGEST_PERIOD, Level, Tower};

/// Frames with all kinds of recursion: repetitions from a few, each with some frames left out.
fn stacks() -> impl Strategy<Value = Vec<u32>> {
    let random = (1..9u32).prop_flat_map(|symbols| vec(0..symbols, 0..120));
    let repetitions = vec(vec((0..7u32, 1..4usize), 1..6), 1..5);
    let calls = vec((any::<prop::sample::Index>(), any::<u8>()), 0..40);
    let towers = (repetitions, calls).prop_map(|(repetitions, calls)| {
        let turn_of = |(index, left_out): &(prop::sample::Index, u8)| {
            let kept = index.get(&repetitions).iter().enumerate();
            let kept = kept.filter(|(i, _)| *i == 0 || left_out >> i & 3 != 0);
            kept.flat_map(|(_, &(frame, run))| vec![frame; run]).collect::<Vec<_>>()
        };
        calls.iter().flat_map(turn_of).collect()
    });
    prop_oneof![random, towers]
}

fn folders() -> impl Strategy<Value = (usize, u32, bool)> {
    let max_period = prop_oneof![3 => Just(LONGEST_PERIOD), 1 => 1..LONGEST_PERIOD];
    (max_period, prop_oneof![2 => Just(2u32), 1 => 0..6u32], any::<bool>())
}

fn folder((max_period, min_height, exact): (usize, u32, bool)) -> Folder {
    let folder = Folder::new(max_period, min_height);
    if exact { folder.exact() } else { folder }
}

fn names(levels: &[Level]) -> Vec<u32> {
    levels.iter().map(|level| level.frame).collect()
}

fn is_subsequence(short: &[u32], long: &[u32]) -> bool {
    let mut long = long.iter();
    short.iter().all(|frame| long.any(|other| other == frame))
}

fn edges(frames: &[u32]) -> HashSet<(u32, u32)> {
    frames.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn assert_is_a_way_through(frames: &[u32], folded: &[u32]) {
    assert!(is_subsequence(folded, frames));
    assert!(edges(folded).is_subset(&edges(frames)));
    assert_eq!(folded.first(), frames.first());
    assert_eq!(folded.last(), frames.last());
}

fn heights(levels: &[Level]) -> HashMap<u32, u32> {
    let mut heights = HashMap::new();
    for level in levels {
        *heights.entry(level.frame).or_default() += level.height;
    }
    heights
}

fn occurrences(frames: &[u32]) -> HashMap<u32, u32> {
    let once: Vec<_> = frames.iter().map(|&frame| Level { frame, origin: 0, height: 1 }).collect();
    heights(&once)
}

/// Whether somewhere the same 1 to `max_period` frames follow each other `repetitions` times.
fn has_cycle(frames: &[u32], max_period: usize, repetitions: usize) -> bool {
    (1..=max_period).any(|period| {
        let mut parts = frames.windows(period * repetitions);
        parts.any(|part| part.iter().zip(&part[period..]).all(|(a, b)| a == b))
    })
}

/// Whether somewhere one of two repetitions is in the other and the next repetition has begun.
fn has_optional_frames(frames: &[u32], max_period: usize) -> bool {
    let next = |from: usize| {
        let repetition = frames[from + 1..].iter().take(max_period);
        repetition.zip(from + 1..).find(|(frame, _)| **frame == frames[from]).map(|(_, at)| at)
    };
    (0..frames.len()).any(|start| {
        let Some(second) = next(start) else {
            return false;
        };
        let Some(third) = next(second) else {
            return false;
        };
        let (lower, upper) = (&frames[start..second], &frames[second..third]);
        is_subsequence(lower, upper) || is_subsequence(upper, lower)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn folded_stack_is_a_way_through_the_stack(frames in stacks(), how in folders()) {
        assert_is_a_way_through(&frames, &names(folder(how).fold(&frames)));
    }

    #[test]
    fn levels_are_where_they_were(frames in stacks(), how in folders()) {
        let folder = &mut folder(how);
        for levels in [folder.fold(&frames).to_vec(), folder.erase(&frames).to_vec()] {
            prop_assert!(levels.windows(2).all(|pair| pair[0].origin < pair[1].origin));
            prop_assert!(levels.iter().all(|level| frames[level.origin as usize] == level.frame));
        }
    }

    #[test]
    fn whatever_was_folded_before_does_not_matter(
        frames in stacks(),
        starts in vec(any::<prop::sample::Index>(), 2..6),
        others in vec(vec(0..7u32, 0..4), 6),
        how in folders(),
    ) {
        let mut used = folder(how);
        for (start, other) in starts.iter().zip(others) {
            let stack = [&frames[..start.index(frames.len() + 1)], &other].concat();
            let mut fresh = folder(how);
            prop_assert_eq!(used.fold(&stack), fresh.fold(&stack));
            prop_assert_eq!(used.towers(), fresh.towers());
        }
    }

    #[test]
    fn erased_stack_is_a_way_through_the_stack_without_loops(frames in stacks()) {
        let erased = names(Folder::new(LONGEST_PERIOD, 2).erase(&frames));
        assert_is_a_way_through(&frames, &erased);
        prop_assert_eq!(erased.iter().collect::<HashSet<_>>().len(), erased.len());
    }

    #[test]
    fn folding_again_changes_nothing(frames in stacks(), how in folders()) {
        let mut folder = folder(how);
        let once = names(folder.fold(&frames));
        let twice = folder.fold(&once);
        prop_assert_eq!(names(twice), once);
        prop_assert!(twice.iter().all(|level| level.height == 1));
    }

    #[test]
    fn heights_add_up_for_every_frame(frames in stacks(), how in folders()) {
        prop_assert_eq!(heights(folder(how).fold(&frames)), occurrences(&frames));
        let erased = Folder::new(LONGEST_PERIOD, 2).erase(&frames).to_vec();
        for (frame, height) in heights(&erased) {
            prop_assert_eq!(height, occurrences(&frames)[&frame]);
        }
    }

    #[test]
    fn no_tower_is_left(frames in stacks(), max_period in 1..=LONGEST_PERIOD) {
        let folded = names(Folder::new(max_period, 2).fold(&frames));
        prop_assert!(!has_cycle(&folded, max_period, 2));
        prop_assert!(!has_optional_frames(&folded, max_period));
    }

    #[test]
    fn no_cycle_of_min_height_is_left_and_lower_ones_are(frames in stacks(), how in folders()) {
        let (max_period, min_height, _) = how;
        let repetitions = min_height.max(2) as usize;
        let folded = names(folder(how).fold(&frames));
        prop_assert!(!has_cycle(&folded, max_period, repetitions));
        if !has_cycle(&frames, max_period, repetitions) {
            let exact = names(Folder::new(max_period, min_height).exact().fold(&frames));
            prop_assert_eq!(exact, frames);
        }
    }

    #[test]
    fn tower_on_its_own(
        above in 0..20u32,
        period in 1..=LONGEST_PERIOD as u32,
        repetitions in 1..50u32,
        min_height in 2..60u32,
    ) {
        let tower = (0..period * repetitions).map(|i| i % period);
        let frames: Vec<_> = (100..100 + above).chain(tower).collect();
        let mut folder = Folder::new(LONGEST_PERIOD, min_height);
        let levels = folder.fold(&frames).to_vec();
        if repetitions < min_height {
            prop_assert_eq!(names(&levels), frames);
            prop_assert!(folder.towers().is_empty());
        } else {
            let (start, period) = (above as usize, period as usize);
            prop_assert_eq!(names(&levels), &frames[..start + period]);
            prop_assert!(levels[start..].iter().all(|level| level.height == repetitions));
            prop_assert_eq!(folder.towers(), [Tower { start, period, height: repetitions }]);
        }
    }

    #[test]
    fn towers_are_where_they_are_said_to_be(frames in stacks(), how in folders()) {
        let (max_period, min_height, exact) = how;
        let mut folder = folder(how);
        let levels = folder.fold(&frames).to_vec();
        for &Tower { start, period, height } in &folder.towers() {
            prop_assert!(period <= max_period && height >= min_height.max(2));
            let cycle = &levels[start..start + period];
            // Only the first frame of a repetition is certain to be in all of them.
            let certain = if exact { cycle } else { &cycle[..1] };
            prop_assert!(certain.iter().all(|level| level.height >= height));
            prop_assert!(has_cycle_frames(&frames, &names(cycle)));
        }
        prop_assert_eq!(folder.towers().is_empty(), levels.len() == frames.len());
    }
}

/// Whether the frames of a cycle call each other in the stack, the last one the first.
fn has_cycle_frames(frames: &[u32], cycle: &[u32]) -> bool {
    let edges = edges(frames);
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).all(|(&from, &to)| edges.contains(&(from, to)))
}
