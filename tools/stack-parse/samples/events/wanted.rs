//! Which events are wanted: `--event`, `--by-event`.

use clap::Args;
use common::pattern::Glob;

/// Which events to take.
#[derive(Args, Clone, Debug)]
pub(crate) struct EventArgs {
    /// Take the events or the measure that match, such as 'cycles*'; default: a file's own, mostly its first
    #[arg(long, value_name = "GLOB")]
    pub(super) event: Option<Glob>,

    /// Take all events, each as the root frame of its stacks; of measures only the default
    #[arg(long)]
    pub(crate) by_event: bool,
}

/// Which events are wanted.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    First,
    Matching(Glob),
    Named(Vec<Vec<u8>>),
    /// The first, or those that match, and besides those of these names.
    With(Box<Wanted>, Vec<Vec<u8>>),
    All,
}

impl Wanted {
    pub(super) fn new(args: &EventArgs) -> Wanted {
        match &args.event {
            Some(glob) => Wanted::Matching(glob.clone()),
            None if args.by_event => Wanted::All,
            None => Wanted::First,
        }
    }

    /// Whether every event of this name is wanted.
    pub(super) fn matches(&self, event: &[u8]) -> bool {
        match self {
            Wanted::First => false,
            Wanted::Matching(glob) => glob.is_match(event),
            Wanted::Named(names) => names.iter().any(|name| name == event),
            Wanted::With(others, _) => others.matches(event) || self.is_besides(event),
            Wanted::All => true,
        }
    }
}

impl Wanted {
    /// Whether the first event is wanted.
    pub(super) fn is_first(&self) -> bool {
        match self {
            Wanted::With(others, _) => others.is_first(),
            it => matches!(it, Wanted::First),
        }
    }

    /// Whether an event is wanted besides those that were chosen, so that it is not the first.
    pub(super) fn is_besides(&self, event: &[u8]) -> bool {
        // `context-switches:u`
        let is_it = |name: &Vec<u8>| match event.strip_prefix(&name[..]) {
            Some(rest) => rest.is_empty() || rest.starts_with(b":"),
            None => false,
        };
        matches!(self, Wanted::With(_, names) if names.iter().any(is_it))
    }
}
