//! The output and the messages after all inputs were read.

use common::Result;
use common::io::Total;
use common::names::printable;
use common::pipe::Pipe;
use common::stacks::StackTree;

use super::event::{Event, Fate, LEFT_OUT, Sum};
use super::event_name::shown;
use super::root::Root;
use super::weight::Rule;
use super::{Recorded, Samples, Sink};

impl Samples<'_> {
    /// Writes the sums, and reports what was left out.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some(pipe) = self.pipe.take() else { return Ok(()) };
        self.report_first_events(pipe);
        self.report_events(pipe);
        self.report_rounding(pipe);
        self.report_missing_labels(pipe);
        match &mut self.sink {
            Sink::Sum => {
                self.report_weights(pipe);
                self.report_troubles(pipe);
                self.write_header(pipe)?;
                self.write_sums(pipe)
            }
            Sink::OffCpu(off_cpu) => {
                off_cpu.report(pipe);
                self.write_header(pipe)?;
                self.write_sums(pipe)
            }
            Sink::List => self.write_list(pipe),
            Sink::Every(every) => {
                every.finish(pipe)?;
                self.report_weights(pipe);
                self.write_rest_of_header(pipe)
            }
            Sink::PerSample => {
                self.report_weights(pipe);
                self.write_rest_of_header(pipe)
            }
            Sink::Table(_) => {
                self.report_weights(pipe);
                Ok(())
            }
        }
    }

    /// Reports that files with different first events are summed, which the user may not intend.
    fn report_first_events(&self, pipe: &mut Pipe) {
        let firsts = &self.headers.first_events;
        if firsts.len() > 1 && !matches!(self.sink, Sink::List) {
            let said: Vec<String> = firsts
                .iter()
                .map(|(input, event)| format!("{} in {input}", text(&self.events.get(*event).name)))
                .collect();
            pipe.note(format_args!(
                "the first events differ, and are summed: {}; --event takes one",
                said.join(", ")
            ));
        }
    }

    /// Adds all events to the sums of `--stats`, and reports which are left out.
    fn report_events(&self, pipe: &mut Pipe) {
        if matches!(self.sink, Sink::List) {
            return;
        }
        let is_any_taken = self.events.iter().any(Event::was_wanted);
        let others = self.events.sorted();
        let others: Vec<&Event> =
            others.into_iter().filter(|event| !event.is_other_measure()).collect();
        let all: u128 = others.iter().map(|event| event.all().samples).sum();
        for event in others {
            pipe.count_read(self.total(event, event.all()));
            for (fate, what) in LEFT_OUT {
                let left_out = self.total(event, event.sum(fate));
                if left_out.lines > 0 {
                    pipe.count_dropped(left_out);
                    pipe.note(format_args!(
                        "{} samples (weight {}) {what}",
                        event.sum(fate).samples,
                        left_out.weight,
                    ));
                }
            }
            let left_out = event.sum(Fate::OtherEvent);
            let total = self.total(event, left_out);
            pipe.count_dropped(total);
            if total.lines > 0 && is_any_taken {
                pipe.note(format_args!(
                    "event {}: {} of {all} samples (weight {}) left out{}",
                    text(&event.name),
                    left_out.samples,
                    total.weight,
                    self.events.hint,
                ));
            }
        }
        if is_any_taken {
            self.report_empty_measures(pipe);
        } else {
            self.report_nothing_taken(pipe);
        }
    }

    /// Reports the labels that were asked for and that no sample has.
    fn report_missing_labels(&self, pipe: &mut Pipe) {
        for key in self.labels.missing() {
            pipe.note(format_args!("no sample has the label {}", printable(key)));
        }
    }

    /// Reports the measures with weight where those that were taken have none.
    fn report_empty_measures(&self, pipe: &mut Pipe) {
        let (taken, others): (Vec<&Event>, Vec<&Event>) =
            self.events.iter().partition(|event| event.was_wanted());
        let names = |events: Vec<&Event>| {
            let names: Vec<String> = events.iter().map(|event| text(&event.name)).collect();
            names.join(", ")
        };
        let weighs = |event: &&Event| event.is_measure() && event.all().total > 0;
        let others: Vec<&Event> = others.into_iter().filter(weighs).collect();
        if !others.is_empty() && taken.iter().all(|event| event.all().total == 0) {
            let (taken, others) = (names(taken), names(others));
            pipe.note(format_args!("{taken} is 0 everywhere: --event takes {others}"));
        }
    }

    fn report_nothing_taken(&self, pipe: &mut Pipe) {
        let (measures, events): (Vec<&Event>, Vec<&Event>) =
            self.events.sorted().into_iter().partition(|event| event.is_measure());
        let asked = &self.events.asked;
        // One measure is always taken, unless the user asks for one that the input does not have.
        if !measures.is_empty() && !self.events.takes_first() {
            let names: Vec<String> = measures.iter().map(|event| text(&event.name)).collect();
            pipe.note(format_args!(
                "no sample taken: the measures are {}, but {asked}",
                names.join(", ")
            ));
        }
        if !events.is_empty() {
            let all: u128 = events.iter().map(|event| event.all().samples).sum();
            let names: Vec<String> = events
                .iter()
                .map(|event| format!("{} ({})", text(&event.name), event.all().samples))
                .collect();
            pipe.note(format_args!(
                "no sample taken: all {all} are of event {}, but {asked}",
                names.join(", ")
            ));
        }
    }

    /// The sum of an event's samples, weighed like those that are taken.
    fn total(&self, event: &Event, sum: Sum) -> Total {
        let sums_periods = || self.events.iter().any(|event| event.weigher.sums());
        let sums = if event.is_taken() {
            event.weigher.sums()
        } else {
            self.input.rule == Rule::Sum
                || self.input.rule == Rule::CountWhileEqual && sums_periods()
        };
        let lines = u64::try_from(sum.samples).unwrap_or(u64::MAX);
        Total { lines, weight: if sums { sum.total } else { sum.samples } }
    }

    /// Reports weights that differ from what a user would expect.
    fn report_weights(&self, pipe: &mut Pipe) {
        for event in self.events.iter().filter(|event| event.is_taken() && event.weigher.sums()) {
            if self.is_advised && event.sum(Fate::Taken).total == 0 {
                pipe.note(format_args!(
                    "all periods of event {} are 0, so no stack has any weight: --weight samples counts",
                    text(&event.name)
                ));
            }
        }
        let counts_samples = |event: &Event| event.is_taken() && event.unit == b"samples";
        if self.headers.rates.len() > 1 && self.events.iter().any(counts_samples) {
            pipe.note(
                "the sampling rates of the inputs differ: one sample does not mean the same in each, \
                 --event words makes them comparable",
            );
        }
        let varying: Vec<String> = self
            .events
            .iter()
            .filter(|event| event.weigher.varied())
            .map(|event| text(&event.name))
            .collect();
        if !varying.is_empty() {
            let which = if self.events.iter().filter(|event| event.is_taken()).count() > 1 {
                format!(" of {}", varying.join(", "))
            } else {
                String::new()
            };
            pipe.note(format_args!(
                "periods{which} vary: weights are sums of periods, --weight samples counts"
            ));
        }
    }

    fn report_troubles(&self, pipe: &mut Pipe) {
        let Some(advise) = self.input.advice.filter(|_| self.is_advised) else { return };
        let recorded = Recorded {
            tree: &self.tree,
            frames: &self.frames,
            traits: &self.traits,
            chains: self.chains,
            // The event and the thread are frames outside the call chain.
            root_frames: 1 + u32::from(self.input.root != Root::None),
            samples: self.events.iter().map(|event| event.all().samples).sum(),
        };
        advise(&recorded, pipe);
    }

    /// Writes all lines.
    fn write_sums(mut self, pipe: &mut Pipe) -> Result<()> {
        match self.labelled.take() {
            Some(labelled) => labelled.write(&self.labels, &self, pipe),
            None => self.write_tree(pipe),
        }
    }

    /// Writes all stacks. In the tree they are below their events, which are written as frames only
    /// if the user asked for that.
    fn write_tree(&self, pipe: &mut Pipe) -> Result<()> {
        let nodes: Vec<_> = self.events.iter().filter_map(|event| event.node).collect();
        match nodes[..] {
            _ if self.args.events.by_event => {
                pipe.write_tree(&self.tree, StackTree::ROOT, &self.frames)
            }
            [node] => pipe.write_tree(&self.tree, node, &self.frames),
            _ => pipe.write_tree(&self.tree.without_roots(), StackTree::ROOT, &self.frames),
        }
    }
}

/// The name of an event for a message.
pub(super) fn text(name: &[u8]) -> String {
    printable(shown(name))
}
