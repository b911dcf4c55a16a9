//! What formats declare of events, beside their samples.

use bstr::ByteSlice;

use super::Events;
use super::event::Peak;
use super::name::{is_same, plain_unit};
use super::wanted::Wanted;

/// One of several numbers that each sample of an input has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) unit: &'a [u8],
}

/// The names that formats use for the measure that counts the samples of the other measures.
const SAMPLES: [&[u8]; 2] = [b"samples", b"sample"];

impl Events {
    /// Declares the numbers that each sample of the input has. Returns the index of the one that is
    /// taken, if any: the first unless the user chose another.
    pub(crate) fn set_measures(&mut self, measures: &[Measure<'_>]) -> Option<usize> {
        self.set_measures_with(measures, 0)
    }

    /// Like [`set_measures`](Events::set_measures), but the default is the measure at this index,
    /// not the first.
    pub(crate) fn set_measures_with(
        &mut self,
        measures: &[Measure<'_>],
        default: usize,
    ) -> Option<usize> {
        self.measures.clear();
        let is_wanted = |measure: &Measure<'_>| self.wanted.matches(measure.name);
        let chosen = match self.wanted {
            Wanted::First | Wanted::All => Some(default),
            Wanted::Matching(_) | Wanted::Named(_) | Wanted::With(..) => {
                measures.iter().position(is_wanted)
            }
        };
        for (place, measure) in measures.iter().enumerate() {
            let index = self.find_or_add(measure.name);
            let event = &mut self.events[index];
            // A number that is the only one of its samples is like an event.
            event.is_measure = measures.len() > 1;
            event.is_wanted = chosen == Some(place);
            event.unit = plain_unit(measure.unit);
            self.measures.push(index);
        }
        self.samples = measures.iter().position(|it| SAMPLES.contains(&it.name));
        self.is_chosen = true;
        chosen
    }

    /// Makes an event the default of the input, even if another comes first, or it never comes.
    pub(crate) fn take_first(&mut self, event: &[u8]) {
        self.find_or_add(event);
        if self.takes_first() {
            self.asked = format!("{} is the default: --event chooses", event.as_bstr());
        }
    }

    /// Sets the unit of an event's weights, if any sample had this event.
    pub(crate) fn set_unit(&mut self, event: &[u8], unit: &[u8]) {
        if let Some(known) = self.events.iter_mut().find(|known| is_same(&known.name, event)) {
            known.unit = plain_unit(unit);
        }
    }

    /// Sets the unit of an event's weights, before its first sample. Returns its index.
    pub(crate) fn announce(&mut self, event: &[u8], unit: &[u8]) -> usize {
        let index = self.find_or_push(event);
        self.events[index].unit = plain_unit(unit);
        index
    }

    /// Declares that a known event is one of several numbers of the same samples.
    pub(crate) fn set_measure(&mut self, event: &[u8]) {
        let index = self.find_or_push(event);
        self.events[index].is_measure = true;
    }

    /// Notes how many samples were drawn for the weight of an event; `None` if that is unknown.
    pub(crate) fn draw(&mut self, event: &[u8], weight: f64, drawn: Option<u64>) {
        let index = self.index(event);
        for sum in self.events[index].sums.iter_mut().filter(|sum| sum.samples > 0) {
            match drawn {
                Some(drawn) => sum.draw(weight, drawn),
                None => sum.unknown = sum.samples,
            }
        }
    }

    /// Notes the peak of memory in use by an event or measure, and when it was, as text; unless an
    /// earlier input had a higher one.
    pub(crate) fn note_peak(&mut self, event: &[u8], most: u64, when: &[u8]) {
        let Some(known) = self.events.iter_mut().find(|known| is_same(&known.name, event)) else {
            return;
        };
        if known.peak.as_ref().is_none_or(|before| before.most < most) {
            known.peak = Some(Peak { most, when: when.to_vec() });
        }
    }
}
