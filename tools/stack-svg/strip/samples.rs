//! The samples of a flame chart: for each lane, what ran from when to when.

use common::heat::MILLISECOND;

use crate::base32::push_number;

use super::clock::{Clock, Timed};

/// How many samples the file has at most: with more, samples that are near each other are merged.
const MOST_SAMPLES: usize = 1_000_000;

/// A pause is longer than this many usual intervals of its lane, and is left empty.
const LEAST_PAUSE: u64 = 4;

/// A stack that ran for some time, as far as the samples show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// In nanoseconds.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The frame of the profile where the stack ends.
    pub(crate) node: u32,
    pub(crate) weight: u64,
}

/// Where the samples of a chart come from.
pub(super) struct Source<'a> {
    pub(super) clock: &'a Clock,
    /// For each stack and for each value of the clock, its frame and its lane.
    pub(super) nodes: &'a [u32],
    pub(super) lanes: &'a [u32],
    /// For each frame, its parent.
    pub(super) parents: &'a [u32],
}

impl Source<'_> {
    /// The samples of the first `count` lanes, in the order of time; and the time within which
    /// some were merged, if they were too many.
    pub(super) fn samples(&self, count: usize) -> (Vec<Vec<Sample>>, Option<u64>) {
        let mut lanes = vec![Vec::new(); count];
        let mut are_slices = true;
        for &Timed { time, key, weight, is_slice } in self.clock.lines.iter().flatten() {
            let (node, lane) = (self.nodes[key.stack as usize], self.lanes[key.value as usize]);
            // The other values share a lane, where their stacks would be mixed.
            if let Some(lane) = lanes.get_mut(lane as usize) {
                let end = time + if is_slice { weight } else { 0 };
                lane.push(Sample { start: time, end, node, weight });
                are_slices &= is_slice;
            }
        }
        for lane in &mut lanes {
            lane.sort_by_key(|sample| sample.start);
        }
        let usual = usual_interval(&lanes);
        let last = self.clock.cells.width().saturating_mul(self.clock.cells.columns());
        for lane in lanes.iter_mut().filter(|_| !are_slices) {
            let interval = interval(lane, usual);
            give_ends(lane, interval, last);
        }
        self.few(lanes, usual)
    }

    /// Returns at most [`MOST_SAMPLES`]. If there are more, those in a short time are merged to the
    /// frames that their stacks have in common.
    fn few(&self, mut lanes: Vec<Vec<Sample>>, usual: u64) -> (Vec<Vec<Sample>>, Option<u64>) {
        let mut within = None;
        let mut time = usual;
        while lanes.iter().map(Vec::len).sum::<usize>() > MOST_SAMPLES && time < u64::MAX / 2 {
            time *= 2;
            within = Some(time);
            for lane in &mut lanes {
                lane.dedup_by(|next, kept| {
                    let is_near = kept.end == next.start && kept.start / time == next.start / time;
                    if is_near {
                        kept.end = next.end;
                        kept.weight += next.weight;
                        kept.node = self.common(kept.node, next.node);
                    }
                    is_near
                });
            }
        }
        (lanes, within)
    }

    /// The last frame that two stacks have in common.
    fn common(&self, mut one: u32, mut other: u32) -> u32 {
        // Parents come before their children.
        while one != other {
            let later = if one > other { &mut one } else { &mut other };
            *later = self.parents[*later as usize];
        }
        one
    }
}

/// The usual time between samples of the recording. Many idle threads together may have more
/// samples than a busy one, so it is not above that of the lane with the most samples, either.
fn usual_interval(lanes: &[Vec<Sample>]) -> u64 {
    let of_all = median(lanes.iter().flat_map(|lane| intervals(lane)));
    let busiest = lanes.iter().max_by_key(|lane| lane.len());
    let of_busiest = busiest.and_then(|lane| median(intervals(lane)));
    of_all.into_iter().chain(of_busiest).min().unwrap_or(MILLISECOND)
}

/// The usual time between the samples of a lane, which are in their order. A thread that is mostly
/// idle has few samples, far from each other, and is not busy between them: so it is at most
/// `usual`, that of the whole recording.
fn interval(lane: &[Sample], usual: u64) -> u64 {
    median(intervals(lane)).map_or(usual, |median| median.min(usual))
}

/// The times between samples that are not of the same time.
fn intervals(lane: &[Sample]) -> impl Iterator<Item = u64> {
    lane.windows(2).map(|pair| pair[1].start - pair[0].start).filter(|&time| time > 0)
}

fn median(times: impl Iterator<Item = u64>) -> Option<u64> {
    let mut times: Vec<u64> = times.collect();
    let middle = times.len() / 2;
    (!times.is_empty()).then(|| *times.select_nth_unstable(middle).1)
}

/// A sample lasts until the next one or, before a pause, for the usual interval; it never ends
/// after `last`. Samples of the same time share that time.
fn give_ends(samples: &mut [Sample], interval: u64, last: u64) {
    let mut from = 0;
    while from < samples.len() {
        let start = samples[from].start;
        let count = samples[from..].iter().take_while(|sample| sample.start == start).count();
        let usual = start.saturating_add(interval).min(last);
        let next = samples.get(from + count).map(|next| next.start);
        let is_pause = |next: &u64| next - start > interval.saturating_mul(LEAST_PAUSE);
        let end = next.filter(|next| !is_pause(next)).unwrap_or(usual);
        let at =
            |part: usize| start + (u128::from(end - start) * part as u128 / count as u128) as u64;
        for (part, sample) in samples[from..from + count].iter_mut().enumerate() {
            (sample.start, sample.end) = (at(part), at(part + 1));
        }
        from += count;
    }
}

/// For each lane, the number of its samples, and for each of them its distance from the end of the
/// last one, its length, its frame and its weight.
pub(super) fn text(lanes: &[Vec<Sample>]) -> String {
    let count: usize = lanes.iter().map(Vec::len).sum();
    let mut text = String::with_capacity(count * 12);
    for lane in lanes {
        push_number(lane.len() as u64, &mut text);
        let mut last = 0;
        for sample in lane {
            push_number(sample.start - last, &mut text);
            push_number(sample.end - sample.start, &mut text);
            push_number(u64::from(sample.node), &mut text);
            push_number(sample.weight, &mut text);
            last = sample.end;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(times: &[u64], last: u64) -> Vec<(u64, u64)> {
        let at = |&start| Sample { start, end: start, node: 1, weight: 1 };
        let mut samples: Vec<_> = times.iter().map(at).collect();
        let interval = median(intervals(&samples)).unwrap_or(7);
        give_ends(&mut samples, interval, last);
        samples.iter().map(|sample| (sample.start, sample.end)).collect()
    }

    #[test]
    fn a_pause_of_more_than_four_intervals_is_empty() {
        // The intervals are 10, 10, 40 and 41; the median is the third.
        assert_eq!(
            placed(&[0, 10, 20, 60, 101], 200),
            [(0, 10), (10, 20), (20, 60), (60, 101), (101, 141)]
        );
        let with_pause = placed(&[0, 10, 20, 30, 70, 111, 121, 131], 200);
        assert_eq!(with_pause[3..6], [(30, 70), (70, 80), (111, 121)]);
    }

    #[test]
    fn a_lane_of_few_samples_is_not_busy_between_them() {
        let lane: Vec<_> =
            [0, 100, 200].map(|start| Sample { start, end: start, node: 1, weight: 1 }).into();
        assert_eq!((interval(&lane, 1), interval(&lane, 500), interval(&[], 7)), (1, 100, 7));
    }

    #[test]
    fn many_idle_lanes_do_not_make_the_usual_interval_longer() {
        let lane = |count: u64, interval: u64| -> Vec<Sample> {
            let at = |number| Sample { start: number * interval, end: 0, node: 1, weight: 1 };
            (0..count).map(at).collect()
        };
        let mut lanes = vec![lane(30, 1)];
        lanes.resize(10, lane(20, 100));
        assert_eq!(usual_interval(&lanes), 1);
        // Even if the busiest lane is idle, too.
        lanes.push(lane(40, 50));
        lanes.extend(vec![lane(39, 2); 20]);
        assert_eq!(usual_interval(&lanes), 2);
        assert_eq!(usual_interval(&[]), MILLISECOND);
    }

    #[test]
    fn the_last_sample_lasts_for_an_interval_but_not_beyond_the_recording() {
        assert_eq!(placed(&[0, 10, 20], 25), [(0, 10), (10, 20), (20, 25)]);
        assert_eq!(placed(&[5], 100), [(5, 12)]);
        assert_eq!(placed(&[], 100), []);
    }

    #[test]
    fn samples_of_one_time_share_it() {
        assert_eq!(placed(&[0, 9, 9, 9, 18], 27), [(0, 9), (9, 12), (12, 15), (15, 18), (18, 27)]);
    }

    #[test]
    fn of_too_many_samples_those_that_are_near_are_merged_to_what_they_have_in_common() {
        let clock = Clock::new(None, true);
        // The whole; main; f and g in it.
        let source = Source { clock: &clock, nodes: &[], lanes: &[], parents: &[0, 0, 1, 1] };
        let at = |number: u64| Sample {
            start: number * 10,
            end: number * 10 + 10,
            node: 2 + number as u32 % 2,
            weight: 1,
        };
        let count = MOST_SAMPLES as u64 + 1;
        let (lanes, within) = source.few(vec![(0..count).map(at).collect()], 10);
        assert_eq!((lanes[0].len(), within), (MOST_SAMPLES / 2 + 1, Some(20)));
        assert_eq!(lanes[0][0], Sample { start: 0, end: 20, node: 1, weight: 2 });
        let (few, within) = source.few(vec![vec![at(0), at(1)]], 10);
        assert_eq!((few[0].len(), within), (2, None));
    }
}
