//! The events and measures of the inputs: which are wanted, and the sums of each.
//!
//! Two events, such as `cycles` and `page-faults`, have samples of their
//! own. Two measures, such as the words and the bytes of a memory profile, are
//! numbers of the same samples.

mod declared;
mod event;
mod list;
mod name;
mod wanted;

use common::pattern::Glob;

use super::sample::Sample;
use super::weight::Weighs;
use name::{is_same, plain_name};
use wanted::Wanted;

pub(crate) use declared::Measure;
pub(super) use event::{Event, Fate, LEFT_OUT, Sum};
pub(super) use list::write_list;
pub(super) use name::{printed, shown};
pub(super) use wanted::EventArgs;

/// The events found so far. They are few, so a linear search finds them.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    wanted: Wanted,
    /// The option that asked for these events, for messages.
    pub(super) asked: String,
    /// How to choose other events, for messages; empty if that is not possible.
    pub(super) hint: &'static str,
    events: Vec<Event>,
    /// Where the last event was found, since the next sample mostly has the same.
    last: usize,
    /// The indexes of the measures of the input that is being read.
    measures: Vec<usize>,
    /// The index of the measure that counts the samples of the others.
    samples: Option<usize>,
    /// Whether the event to take from the input that is being read is known.
    is_chosen: bool,
}

impl Events {
    /// Takes the events that the user chose.
    pub(super) fn new(args: &EventArgs) -> Events {
        let asked = format!("--event asked for {}", args.event.as_ref().map_or("*", Glob::as_str));
        Events::of(Wanted::new(args), asked, ", --event or --by-event takes them in")
    }

    /// Takes only the events of these names; `asked` says why they are needed.
    pub(super) fn only(names: &[&str], asked: &str) -> Events {
        let names = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        Events::of(Wanted::Named(names), asked.to_owned(), "")
    }

    /// Takes the events that the user chose, or the first, and besides those of these names.
    pub(super) fn with(names: &[&str], args: &EventArgs) -> Events {
        let names = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let chosen = Events::new(args);
        let wanted = Wanted::With(Box::new(chosen.wanted), names);
        Events::of(wanted, chosen.asked, ", --event takes them in")
    }

    fn of(wanted: Wanted, asked: String, hint: &'static str) -> Events {
        let (events, measures) = (Vec::new(), Vec::new());
        let (last, samples, is_chosen) = Default::default();
        Events { wanted, asked, hint, events, last, measures, samples, is_chosen }
    }

    /// Resets the choice: each input has a first event of its own.
    pub(super) fn begin_input(&mut self) {
        self.is_chosen = false;
        self.measures.clear();
        self.samples = None;
        for event in &mut self.events {
            event.is_wanted = self.wanted.matches(&event.name);
            event.is_in_input = false;
        }
    }

    /// Makes events with this choice and empty sums, for a tree of its own.
    pub(super) fn fork(&self) -> Events {
        let mut events = self.clone();
        events.events.iter_mut().for_each(Event::clear);
        events
    }

    /// Adds the sums of a fork, and calls `each` with every event here and the same event of the
    /// fork.
    pub(super) fn absorb(
        &mut self,
        other: &mut Events,
        mut each: impl FnMut(&mut Event, &mut Event),
    ) {
        for theirs in &mut other.events {
            let index = self.index(&theirs.name);
            let ours = &mut self.events[index];
            ours.is_in_input |= theirs.is_in_input;
            for (sum, more) in ours.sums.iter_mut().zip(theirs.sums) {
                sum.absorb(more);
            }
            each(ours, theirs);
        }
    }

    /// Whether the event to take from this input is known.
    pub(super) fn is_chosen(&self) -> bool {
        self.is_chosen
    }

    /// Whether a span with this name is wanted.
    pub(super) fn take_span(&self, name: &[u8]) -> bool {
        self.wanted.is_first() || self.wanted.matches(name)
    }

    /// The index of a sample's event, and the weight of one such sample: of several measures that
    /// of the wanted one.
    #[inline]
    pub(super) fn of_sample(&mut self, origin: &Sample<'_>) -> (usize, u64) {
        if self.measures.is_empty() {
            return (self.index(origin.event), origin.weights.first().copied().unwrap_or(1));
        }
        let is_wanted = |&place: &usize| self.events[self.measures[place]].is_wanted;
        let place = (0..self.measures.len()).find(is_wanted).unwrap_or(0);
        (self.measures[place], origin.weights.get(place).copied().unwrap_or(0))
    }

    /// Adds a sample to the sums of its event, or of all its measures.
    #[inline]
    pub(super) fn account(
        &mut self,
        (event, weight): (usize, u64),
        origin: &Sample<'_>,
        weighs: Weighs,
        fate: Fate,
    ) {
        let of_one = || origin.weights.get(self.samples?);
        let counted = || of_one().map(|samples| samples.saturating_mul(origin.count));
        let drawn = origin.drawn.or_else(counted).or_else(|| weighs.drawn(origin.count));
        self.account_one(event, origin.count, weight, drawn, fate);
        if self.measures.is_empty() {
            return;
        }
        for place in 0..self.measures.len() {
            let other = self.measures[place];
            if other != event {
                let weight = origin.weights.get(place).copied().unwrap_or(0);
                self.account_one(other, origin.count, weight, drawn, Fate::OtherEvent);
            }
        }
    }

    /// Adds several samples of one event to its sums, each of this weight.
    #[inline]
    pub(super) fn account_one(
        &mut self,
        event: usize,
        count: u64,
        weight: u64,
        drawn: Option<u64>,
        fate: Fate,
    ) {
        let event = &mut self.events[event];
        event.is_in_input = true;
        event.sums[fate as usize].add(count, weight, drawn);
    }

    /// Whether the samples of an event are wanted.
    pub(super) fn is_wanted(&self, event: usize) -> bool {
        self.events[event].is_wanted
    }

    /// Whether the input that is being read has any sample of such an event.
    pub(super) fn has_samples_of(&self, is_such: impl Fn(&[u8]) -> bool) -> bool {
        self.events.iter().any(|event| event.is_in_input && is_such(&event.name))
    }

    /// How many samples of this event were read.
    pub(crate) fn recorded(&self, event: &str) -> u64 {
        let known = self.events.iter().find(|known| known.name == event.as_bytes());
        known.map_or(0, |known| u64::try_from(known.all().samples).unwrap_or(u64::MAX))
    }

    /// Whether samples of this event are taken from this input.
    pub(crate) fn takes(&self, event: &str) -> bool {
        self.events.iter().any(|known| known.is_wanted && known.name == event.as_bytes())
    }

    /// The sums of each [`Fate`], without measures that nobody asked for.
    pub(super) fn fates(&self) -> [Sum; 5] {
        let events = self.events.iter().filter(|event| !event.is_other_measure());
        events.fold(Default::default(), |mut all: [Sum; 5], event| {
            all.iter_mut().zip(event.sums).for_each(|(all, sum)| all.absorb(sum));
            all
        })
    }

    /// The indexes of the events whose samples are taken from the input that is being read.
    pub(super) fn taken_from_input(&self) -> Vec<usize> {
        let is_taken = |event: &Event| event.is_in_input && event.is_wanted;
        (0..self.events.len()).filter(|&event| is_taken(&self.events[event])).collect()
    }

    /// Whether the user chose no event, so that the first one is taken.
    pub(super) fn takes_first(&self) -> bool {
        self.wanted.is_first()
    }

    pub(super) fn get(&self, event: usize) -> &Event {
        &self.events[event]
    }

    pub(super) fn get_mut(&mut self, event: usize) -> &mut Event {
        &mut self.events[event]
    }

    /// The events in the order they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }

    /// The events by the number of their samples, the most first.
    pub(super) fn sorted(&self) -> Vec<&Event> {
        let mut events: Vec<&Event> = self.events.iter().collect();
        let samples = |event: &Event| event.all().samples;
        events.sort_by(|a, b| samples(b).cmp(&samples(a)).then_with(|| a.name.cmp(&b.name)));
        events
    }

    /// The index of an event, by its name.
    #[inline]
    fn index(&mut self, event: &[u8]) -> usize {
        let is_last = self.events.get(self.last).is_some_and(|known| known.name == event);
        if !is_last || !self.is_chosen {
            self.last = self.find_or_add(event);
        }
        self.last
    }

    fn find_or_push(&mut self, event: &[u8]) -> usize {
        let found = self.events.iter().position(|known| is_same(&known.name, event));
        found.unwrap_or_else(|| {
            let name = plain_name(event);
            let is_wanted = self.wanted.matches(&name);
            self.events.push(Event::new(name, is_wanted));
            self.events.len() - 1
        })
    }

    fn find_or_add(&mut self, event: &[u8]) -> usize {
        let index = self.find_or_push(event);
        if !self.is_chosen && !self.wanted.is_besides(&self.events[index].name) {
            self.is_chosen = true;
            self.events[index].is_wanted |= self.wanted.is_first();
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(event: Option<&str>, by_event: bool) -> Events {
        Events::new(&EventArgs { event: event.map(Glob::new), by_event })
    }

    /// Adds a sample; returns whether it is wanted.
    fn admits(events: &mut Events, event: &str, weights: &[u64]) -> bool {
        let origin = Sample { event: event.as_bytes(), weights, ..Sample::default() };
        let (index, weight) = events.of_sample(&origin);
        let is_wanted = events.is_wanted(index);
        let fate = if is_wanted { Fate::Taken } else { Fate::OtherEvent };
        events.account((index, weight), &origin, Weighs::Value, fate);
        is_wanted
    }

    fn sums(events: &Events, fate: Fate) -> Vec<(u128, u128)> {
        events
            .sorted()
            .iter()
            .map(|event| (event.sum(fate).samples, event.sum(fate).total))
            .collect()
    }

    #[test]
    fn the_first_event_of_each_input_is_the_default() {
        let mut events = events(None, false);
        assert!(!events.is_chosen());
        assert!(admits(&mut events, "cycles", &[7]));
        assert!(!admits(&mut events, "page-faults", &[1]));
        assert!(admits(&mut events, "cycles", &[9]));
        events.begin_input();
        assert!(admits(&mut events, "page-faults", &[2]));
        assert!(!admits(&mut events, "cycles", &[1]));
        assert_eq!(sums(&events, Fate::Taken), [(2, 16), (1, 2)]);
        assert_eq!(sums(&events, Fate::OtherEvent), [(1, 1), (1, 1)]);
    }

    #[test]
    fn a_glob_chooses() {
        let mut events = events(Some("sched:sched_*"), false);
        assert!(!admits(&mut events, "cycles", &[]));
        assert!(admits(&mut events, "sched:sched_switch", &[]));
        assert!(admits(&mut events, "sched:sched_wakeup", &[]));
    }

    #[test]
    fn a_glob_chooses_one_measure_of_each_sample() {
        let measures =
            ["words", "bytes", "bits"].map(|name| Measure { name: name.as_bytes(), unit: b"" });
        for (glob, place, weight) in
            [(Some("b*"), Some(1), 8), (None, Some(0), 1), (Some("cycles"), None, 1)]
        {
            let mut events = events(glob, false);
            assert_eq!(events.set_measures(&measures), place, "{glob:?}");
            assert_eq!(admits(&mut events, "", &[1, 8, 64]), place.is_some(), "{glob:?}");
            let origin = Sample { weights: &[1, 8, 64], ..Sample::default() };
            assert_eq!(events.of_sample(&origin).1, weight, "{glob:?}");
            let totals: Vec<u128> = events.iter().map(|event| event.all().total).collect();
            assert_eq!(totals, [1, 8, 64], "{glob:?}");
        }
    }

    #[test]
    fn each_of_several_equal_samples_is_drawn() {
        let measures = ["time", "samples"].map(|name| Measure { name: name.as_bytes(), unit: b"" });
        let mut events = events(None, false);
        assert_eq!(events.set_measures(&measures), Some(0));
        for count in [156, 6] {
            let origin = Sample { weights: &[1000, 1], count, ..Sample::default() };
            let place = events.of_sample(&origin);
            events.account(place, &origin, Weighs::Value, Fate::Taken);
        }
        let drawn: Vec<_> = events.iter().map(|event| event.all().drawn()).collect();
        assert_eq!(drawn, [Some(162.0), Some(162.0)]);
    }

    #[test]
    fn the_cores_of_a_hybrid_processor_count_one_event() {
        let mut events = events(None, true);
        let core = events.index(b"cpu_core/cycles/");
        assert_eq!(events.index(b"cpu_atom/cycles/"), core);
        assert_eq!(events.events[core].name, b"cycles");
        let with_modifiers = events.index(b"cpu_atom/cycles/Pu");
        assert_eq!(events.events[with_modifiers].name, b"cycles:Pu");
        assert_eq!(events.events[with_modifiers].unit, b"cycles");
    }

    #[test]
    fn forks_add_up() {
        let mut events = events(None, false);
        assert!(admits(&mut events, "cycles", &[7]));
        let mut fork = events.fork();
        assert!(!admits(&mut fork, "page-faults", &[1]));
        assert!(admits(&mut fork, "cycles", &[8]));
        events.absorb(&mut fork, |_, _| ());
        assert_eq!(sums(&events, Fate::Taken), [(2, 15), (0, 0)]);
        assert_eq!(sums(&events, Fate::OtherEvent), [(0, 0), (1, 1)]);
    }
}
