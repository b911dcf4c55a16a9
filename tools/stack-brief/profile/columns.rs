//! What stacks are measured by: one weight, several events, or what threads did.

use bstr::ByteSlice;
use common::folded::ThreadState;
use common::names::{FrameParts, printable};
use common::numbers::Unit;
use common::pipe::Pipe;
use common::stacks::{FrameId, SortedStacks};
use hashbrown::HashMap;

/// The root below which the stacks of the critical path are.
pub(super) const PATH: &str = "[critical path]";

/// The root below which the stacks are in which threads ran.
pub(super) const PROCESSOR: &str = "[processor]";

/// What the stacks of a column are measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// What they weigh, of the only event, or of the first.
    Weight,
    /// What they weigh, of another event.
    Event,
    /// How long the critical path is in them.
    Path,
    /// How long threads ran with them, of slices: what has no sample is shared among the samples.
    Processor,
    /// How long threads did this with them.
    State(ThreadState),
    /// What they weigh on the one side of a comparison, or on the other.
    Before,
    After,
}

/// All stacks of one measure.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) measure: Measure,
    /// The event, if it has a name.
    pub(crate) event: Option<Vec<u8>>,
    pub(crate) unit: Unit,
    /// Whether functions are ranked by it.
    pub(crate) is_ranked: bool,
    /// What its stacks weigh.
    pub(crate) total: u64,
}

/// What is in the names of events that are taken while a processor works.
const OF_PROCESSOR: [&str; 9] = [
    "cycles",
    "cpu-clock",
    "task-clock",
    "instructions",
    "cpu",
    "jdk.ExecutionSample",
    "jdk.CPUTimeSample",
    "Time Profile",
    "ref-cycles",
];

impl Column {
    /// Whether it is time that a processor worked.
    pub(crate) fn is_of_processor(&self) -> bool {
        match self.measure {
            Measure::State(state) => state == ThreadState::Running,
            Measure::Weight => self.event.as_ref().is_some_and(|event| is_of_processor(event)),
            Measure::Processor => true,
            _ => false,
        }
    }

    /// Whether it is time, or samples that were taken while it passed.
    pub(crate) fn is_of_time(&self) -> bool {
        match &self.unit {
            Unit::Time(_) => true,
            Unit::Things(name) => name == "samples",
            _ => false,
        }
    }

    /// Whether it is time for which threads waited.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self.measure, Measure::State(state) if state.is_waiting())
    }

    /// What its weights are of: `CPU`.
    pub(crate) fn word(&self) -> String {
        match self.measure {
            Measure::Path => "the critical path".to_owned(),
            Measure::Processor | Measure::State(ThreadState::Running) => "CPU".to_owned(),
            Measure::State(ThreadState::Runnable) => "waiting for a processor".to_owned(),
            Measure::State(ThreadState::NotRecorded) => "what was not recorded".to_owned(),
            Measure::State(_) => "waiting".to_owned(),
            Measure::Before => "all before".to_owned(),
            Measure::After => "all after".to_owned(),
            Measure::Weight if self.is_of_processor() => "CPU".to_owned(),
            Measure::Weight | Measure::Event => match (&self.event, &self.unit) {
                (Some(event), _) => printable(event),
                (None, Unit::Things(name)) => format!("all {name}"),
                (None, _) => "all".to_owned(),
            },
        }
    }
}

impl Column {
    /// The unit of its weights for programs; empty if it is unknown.
    pub(crate) fn unit_word(&self) -> String {
        match &self.unit {
            Unit::Time(1) => "ns".to_owned(),
            Unit::Time(nanoseconds) => format!("{nanoseconds} ns"),
            Unit::Bytes => "bytes".to_owned(),
            Unit::Things(name) => name.clone(),
            Unit::Unknown => String::new(),
        }
    }

    /// Its name over a column of a table.
    pub(crate) fn head(&self) -> &'static str {
        match self.measure {
            Measure::Path => "path",
            Measure::Processor | Measure::State(ThreadState::Running) => "cpu",
            Measure::State(_) => "wait",
            Measure::Before => "before",
            Measure::After => "after",
            Measure::Weight | Measure::Event => "share",
        }
    }
}

/// `cycles:u`, `cpu_core/cycles/`, `cpu-clock`
fn is_of_processor(event: &[u8]) -> bool {
    let event = event.to_str_lossy();
    let name = event.trim_end_matches(['/', ':']);
    let mut words = name.split(['/', ':']).filter(|word| !word.is_empty());
    words.any(|word| OF_PROCESSOR.contains(&word))
}

/// The columns, and which roots name one. The first column is of stacks below no such root.
pub(super) fn of(
    stacks: &SortedStacks,
    has_states: bool,
    has_events: bool,
    unit: Option<&str>,
    pipe: &Pipe,
) -> (Vec<Column>, HashMap<FrameId, usize>) {
    let header_unit = pipe.header_unit();
    let unit = Unit::named(unit.or(header_unit.as_deref()).unwrap_or_default());
    let event = pipe.header_value("event").map(<[u8]>::to_vec);
    let is_ranked = !has_states;
    let events = events(stacks, has_events, &unit, pipe);
    let first = Column { measure: Measure::Weight, event, unit, is_ranked, total: 0 };
    let mut columns = vec![first];
    let mut roots = HashMap::new();
    for (number, (root, name, unit)) in events.into_iter().enumerate() {
        if number == 0 {
            (columns[0].event, columns[0].unit) = (Some(name), unit);
            roots.insert(root, 0);
            continue;
        }
        roots.insert(root, columns.len());
        let measure = Measure::Event;
        columns.push(Column { measure, event: Some(name), unit, is_ranked: false, total: 0 });
    }
    if !has_states {
        return (columns, roots);
    }
    let [path, ran] = [PATH, PROCESSOR].map(|name| stacks.frames().find(name.as_bytes()));
    let states = ThreadState::ALL.map(|state| (Measure::State(state), state.frame()));
    let found = [(Measure::Path, PATH), (Measure::Processor, PROCESSOR)];
    for (measure, name) in found.into_iter().chain(states) {
        let Some(root) = stacks.frames().find(name.as_bytes()) else { continue };
        let is_ranked = match measure {
            Measure::Path => true,
            Measure::State(ThreadState::Running) => path.is_none() && ran.is_none(),
            Measure::State(state) => path.is_none() && state.is_waiting(),
            _ => path.is_none(),
        };
        roots.insert(root, columns.len());
        columns.push(Column { measure, event: None, unit: Unit::Time(1), is_ranked, total: 0 });
    }
    (columns, roots)
}

/// The columns of two sides, and which root, one for each file, is of which.
pub(super) fn of_sides(
    stacks: &SortedStacks,
    files: &[(&str, Measure)],
    unit: &Unit,
) -> (Vec<Column>, HashMap<FrameId, usize>) {
    let column =
        |measure| Column { measure, event: None, unit: unit.clone(), is_ranked: true, total: 0 };
    let columns = vec![column(Measure::Before), column(Measure::After)];
    let root = |(root, measure): &(&str, Measure)| {
        let root = stacks.frames().find(root.as_bytes())?;
        Some((root, usize::from(*measure == Measure::After)))
    };
    (columns, files.iter().filter_map(root).collect())
}

/// The roots that are events, with their names and units: those that header lines name, if each
/// stack is below one of them, or the values of labels. An event without a unit of its own has `unit`,
/// which may be that of all events.
fn events(
    stacks: &SortedStacks,
    has_events: bool,
    unit: &Unit,
    pipe: &Pipe,
) -> Vec<(FrameId, Vec<u8>, Unit)> {
    let name = |root: FrameId| FrameParts::of(stacks.frames().name(root)).name;
    let mut found: Vec<FrameId> = Vec::new();
    for stack in stacks.iter().filter(|stack| stack.weight > 0 && stack.shared == 0) {
        if found.last() != Some(&stack.frames[0]) {
            found.push(stack.frames[0]);
        }
    }
    let listed = pipe.header_events();
    let unit_of = |name: &[u8]| {
        let own = listed.iter().find(|(event, own)| *event == name && !own.is_empty());
        own.map_or_else(|| unit.clone(), |(_, own)| Unit::named(&printable(own)))
    };
    let at = |root: &FrameId| listed.iter().position(|(event, _)| *event == name(*root));
    if !has_events && (listed.is_empty() || !found.iter().all(|root| at(root).is_some())) {
        return Vec::new();
    }
    found.sort_by_key(|root| at(root).unwrap_or(usize::MAX));
    found.into_iter().map(|root| (root, name(root).to_vec(), unit_of(name(root)))).collect()
}
