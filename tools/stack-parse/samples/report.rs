//! The messages about events and weights after all inputs were read.

use bstr::ByteSlice;
use common::{io::Total, numbers::Unit, pipe::Pipe};

use super::events::{Event, Events, Fate, LEFT_OUT, Sum, printed};
use super::weight::Rule;

/// Reports that files with different first events are summed, which the user may not intend. The
/// first events are given by the names of the files and their indexes.
pub(super) fn first_events(firsts: &[(String, usize)], events: &Events, pipe: &mut Pipe) {
    if firsts.len() > 1 {
        let said: Vec<String> = firsts
            .iter()
            .map(|(input, event)| format!("{} in {input}", printed(&events.get(*event).name)))
            .collect();
        pipe.note(format_args!(
            "the first events differ, and are summed: {}; --event takes one",
            said.join(", ")
        ));
    }
}

/// Adds all events to the sums of `--stats`, and reports which are left out. `rule` is that of the
/// last input.
pub(super) fn left_out(events: &Events, rule: Rule, pipe: &mut Pipe) {
    let is_any_taken = events.iter().any(Event::was_wanted);
    let others = events.sorted();
    let others: Vec<&Event> =
        others.into_iter().filter(|event| !event.is_other_measure()).collect();
    let all: u128 = others.iter().map(|event| event.all().samples).sum();
    for event in others {
        let total = |sum| total(event, sum, events, rule);
        pipe.count_read(total(event.all()));
        for (fate, what) in LEFT_OUT {
            let left_out = total(event.sum(fate));
            if left_out.lines > 0 {
                pipe.count_dropped(left_out);
                let samples = event.sum(fate).samples;
                let weight = weight_in(left_out.weight, unit(event, events, rule));
                pipe.note(format_args!("{samples} samples ({weight}) {what}"));
            }
        }
        let left_out = event.sum(Fate::OtherEvent);
        let total = total(left_out);
        pipe.count_dropped(total);
        if total.lines > 0 && is_any_taken {
            pipe.note(format_args!(
                "event {}: {} of {all} samples ({}) left out{}",
                printed(&event.name),
                left_out.samples,
                weight_in(total.weight, unit(event, events, rule)),
                events.hint,
            ));
        }
    }
    if is_any_taken {
        empty_measures(events, pipe);
    } else {
        nothing_taken(events, pipe);
    }
}

/// Reports the measures with weight where those that were taken have none.
fn empty_measures(events: &Events, pipe: &mut Pipe) {
    let (taken, others): (Vec<&Event>, Vec<&Event>) =
        events.iter().partition(|event| event.was_wanted());
    let weighs = |event: &&Event| event.is_measure && event.all().total > 0;
    let others: Vec<&Event> = others.into_iter().filter(weighs).collect();
    if !others.is_empty() && taken.iter().all(|event| event.all().total == 0) {
        let (taken, others) = (names(&taken), names(&others));
        pipe.note(format_args!("{taken} is 0 everywhere: --event takes {others}"));
    }
}

fn nothing_taken(events: &Events, pipe: &mut Pipe) {
    let asked = &events.asked;
    let takes_first = events.takes_first();
    let (measures, events): (Vec<&Event>, Vec<&Event>) =
        events.sorted().into_iter().partition(|event| event.is_measure);
    // One measure is always taken, unless the user asks for one that the input does not have.
    if !measures.is_empty() && !takes_first {
        let names = names(&measures);
        pipe.note(format_args!("no sample taken: the measures are {names}, but {asked}"));
    }
    if !events.is_empty() {
        let all: u128 = events.iter().map(|event| event.all().samples).sum();
        if all == 0 {
            // That no sample was found is said already: no choice of events would help.
            return;
        }
        let names: Vec<String> = events
            .iter()
            .map(|event| format!("{} ({})", printed(&event.name), event.all().samples))
            .collect();
        pipe.note(format_args!(
            "no sample taken: all {all} are of event {}, but {asked}",
            names.join(", ")
        ));
    }
}

fn names(events: &[&Event]) -> String {
    let names: Vec<String> = events.iter().map(|event| printed(&event.name)).collect();
    names.join(", ")
}

/// The sum of an event's samples, weighed like those that are taken.
fn total(event: &Event, sum: Sum, events: &Events, rule: Rule) -> Total {
    let lines = u64::try_from(sum.samples).unwrap_or(u64::MAX);
    Total { lines, weight: if sums(event, events, rule) { sum.total } else { sum.samples } }
}

/// The unit of that sum.
fn unit<'a>(event: &'a Event, events: &Events, rule: Rule) -> &'a [u8] {
    if sums(event, events, rule) { &event.unit } else { b"samples" }
}

/// Whether the periods of an event's samples are summed, and not the samples counted.
fn sums(event: &Event, events: &Events, rule: Rule) -> bool {
    let sums_periods = || events.iter().any(|event| event.weigher.sums());
    match event.is_taken() {
        true => event.weigher.sums(),
        false => rule == Rule::Sum || rule == Rule::CountWhileEqual && sums_periods(),
    }
}

/// A weight for messages that name its samples: `weight 1.06 s`, but `weight 12` of samples.
pub(crate) fn weight_in(weight: u128, unit: &[u8]) -> String {
    let words = |unit| Unit::named(unit).words(u64::try_from(weight).unwrap_or(u64::MAX));
    match unit.to_str().unwrap_or_default() {
        "samples" => format!("weight {weight}"),
        unit => format!("weight {}", words(unit)),
    }
}

/// Reports weights that differ from what a user would expect. `rates_differ` says whether the
/// sampling rates of the inputs differ, `may_advise` whether `--weight samples` helps.
pub(super) fn weights(events: &Events, rates_differ: bool, may_advise: bool, pipe: &mut Pipe) {
    for event in events.iter().filter(|event| event.is_taken() && event.weigher.sums()) {
        if may_advise && event.sum(Fate::Taken).total == 0 {
            pipe.note(format_args!(
                "all periods of event {} are 0, so no stack has any weight: --weight samples counts",
                printed(&event.name)
            ));
        }
    }
    let counts_samples = |event: &Event| event.is_taken() && event.unit == b"samples";
    if rates_differ && events.iter().any(counts_samples) {
        pipe.note(
            "the sampling rates of the inputs differ: one sample does not mean the same in each, \
             --event words makes them comparable",
        );
    }
    let varying: Vec<&Event> = events.iter().filter(|event| event.weigher.varied()).collect();
    if !varying.is_empty() {
        let which = if events.iter().filter(|event| event.is_taken()).count() > 1 {
            format!(" of {}", names(&varying))
        } else {
            String::new()
        };
        pipe.note(format_args!(
            "periods{which} vary: weights are sums of periods, --weight samples counts"
        ));
    }
}
