//! The samples of one message, summed by the numbers of what they refer to.

use common::Result;
use hashbrown::HashMap;

use super::attributes::Attribute;
use super::dictionary::Dictionary;
use super::recorded::Periods;
use crate::options::Options;
use crate::read::held::{Held, Thread};
use crate::read::own_labels::OwnLabels;
use crate::read::stacks::Stacks;
use crate::samples::Samples;

/// The contents of a message.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) dictionary: Dictionary,
    /// The attributes of each scope that has begun, and of its resource.
    pub(super) scopes: Vec<Vec<Attribute>>,
    numbers: HashMap<Series, u32>,
    held: Held,
    /// The profile that is being read: its own attributes come after its samples.
    profile: Current,
    periods: Periods,
    /// Samples whose values are below 0.
    negative: u64,
}

/// The samples of a profile whose end is not read yet.
#[derive(Default)]
struct Current {
    numbers: HashMap<Own, u32>,
    held: Held,
    /// The key and the number of the last sample, as the next one mostly has the same.
    last: Option<(Own, u32)>,
}

/// What samples of one profile are grouped by, besides their stacks and times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Own {
    link: u64,
    attributes: Vec<u64>,
}

/// What samples of all profiles are grouped by, besides their stacks and times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Series {
    kind: [u64; 2],
    scope: usize,
    own: Own,
}

/// The fields of a profile itself.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The numbers of the strings with the event and its unit.
    pub(super) kind: [u64; 2],
    pub(super) attributes: Vec<u64>,
    /// When it began, in nanoseconds since 1970, and how many it took; 0 if that is unknown.
    pub(super) start: u64,
    pub(super) duration: u64,
    /// The number of the string with the unit of its period.
    pub(super) period_unit: u64,
    pub(super) period: u64,
}

impl Own {
    fn is_of(&self, Stored { link, attributes, .. }: &Stored) -> bool {
        // Without this check, comparing two empty lists is slow: the processor first loads their
        // memory.
        let are_none = self.attributes.is_empty() && attributes.is_empty();
        self.link == *link && (are_none || self.attributes == *attributes)
    }
}

impl Current {
    /// The number of a sample's group.
    fn series(&mut self, sample: &Stored, wants_labels: bool) -> u32 {
        if let Some((last, number)) = &self.last
            && (!wants_labels || last.is_of(sample))
        {
            return *number;
        }
        let mut own = Own::default();
        if wants_labels {
            own = Own { link: sample.link, attributes: sample.attributes.clone() };
        }
        let held = &mut self.held;
        let number =
            *self.numbers.entry(own.clone()).or_insert_with(|| held.thread(Thread::default()));
        self.last = Some((own, number));
        number
    }
}

/// A sample as it is in the message.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pub(super) stack: u64,
    /// One value, or one for each time; empty if each time counts one.
    pub(super) values: Vec<u64>,
    pub(super) attributes: Vec<u64>,
    pub(super) link: u64,
    /// In nanoseconds since 1970.
    pub(super) times: Vec<u64>,
}

impl Stored {
    /// Clears all fields, and keeps their memory.
    pub(super) fn clear(&mut self) {
        (self.stack, self.link) = (0, 0);
        self.values.clear();
        self.attributes.clear();
        self.times.clear();
    }
}

impl Batch {
    /// Adds attributes to all scopes from number `from` on: to the last one, or to all of a
    /// resource. Some writers put them after the profiles.
    pub(super) fn describe_scopes(&mut self, from: usize, attributes: &[Attribute]) {
        let scopes = self.scopes.get_mut(from..).unwrap_or_default();
        scopes.iter_mut().for_each(|scope| scope.extend_from_slice(attributes));
    }

    /// Adds a sample of the profile that is being read.
    pub(super) fn add(&mut self, sample: &Stored, samples: &Samples<'_>) {
        let Stored { stack, values, times, .. } = sample;
        let sum = values.iter().try_fold(0, |sum: u64, value| {
            sum.checked_add(u64::try_from(value.cast_signed()).ok()?)
        });
        let Some(sum) = sum else {
            self.negative += 1;
            return;
        };
        let series = self.profile.series(sample, samples.wants.origin());
        let stack = u32::try_from(*stack).unwrap_or(u32::MAX);
        let held = &mut self.profile.held;
        let has_times = !times.is_empty() && (values.is_empty() || values.len() == times.len());
        if has_times && samples.wants.order() {
            for (at, time) in times.iter().enumerate() {
                let value = values.get(at).copied().unwrap_or(1);
                held.add(series, stack, value, Some(*time));
            }
        } else {
            let weight = if values.is_empty() { times.len() as u64 } else { sum };
            held.add(series, stack, weight, times.first().copied());
        }
        held.add_up(samples);
    }

    /// Ends the profile that is being read.
    pub(super) fn end_profile(&mut self, profile: &Profile, samples: &Samples<'_>) {
        let Batch {
            scopes,
            numbers,
            held,
            profile: Current { numbers: own, held: rows, last },
            ..
        } = self;
        let scope = scopes.len().saturating_sub(1);
        let mut series = vec![0; own.len()];
        for (mut own, number) in own.drain() {
            own.attributes.extend_from_slice(&profile.attributes);
            let key = Series { kind: profile.kind, scope, own };
            let known = numbers.entry(key).or_insert_with(|| held.thread(Thread::default()));
            series[number as usize] = *known;
        }
        held.take_all(std::mem::take(rows), |number| series[number as usize]);
        held.add_up(samples);
        *last = None;
        self.periods.add(profile.period_unit, profile.period);
    }

    /// Adds what was read, in the order of the message.
    pub(super) fn finish(mut self, options: &Options, samples: &mut Samples<'_>) -> Result<()> {
        let names = self.dictionary.name_frames(options, samples);
        let mut stacks = Stacks::default();
        let numbers = self.dictionary.stacks(&mut stacks);
        let stack = |number: u32| numbers.get(number as usize).copied().unwrap_or(Stacks::EMPTY);
        self.held.renumber(stack);
        for (series, number) in &self.numbers {
            *self.held.thread_mut(*number) = self.thread(series);
        }
        let negative = "samples have values below 0, or too large ones: they are left out";
        samples.note_counts(&[(self.negative, negative)]);
        self.periods.note(&self.dictionary, &mut samples.facts);
        self.held.finish(&mut stacks, &names, samples)
    }

    fn thread(&self, series: &Series) -> Thread {
        let mut labels = OwnLabels::default();
        let dictionary = &self.dictionary;
        let own =
            series.own.attributes.iter().filter_map(|it| dictionary.attributes.get(*it as usize));
        let scope = self.scopes.get(series.scope).into_iter().flatten();
        own.chain(scope).for_each(|attribute| dictionary.add_label(attribute, &mut labels));
        if let Some([trace, span]) = dictionary.links.get(series.own.link as usize) {
            labels.add_known(super::FORMAT.name, "trace_id", trace);
            labels.add_known(super::FORMAT.name, "span_id", span);
        }
        let [event, unit] = series.kind.map(|number| dictionary.string(number).to_vec());
        Thread { event, unit, labels, ..Thread::default() }
    }
}
