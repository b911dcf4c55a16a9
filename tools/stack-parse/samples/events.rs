//! Which events of a recording are wanted, and what each amounts to.

use bstr::ByteSlice;
use clap::Args;
use common::{Error, Pipe, Result, Total};
use regex::bytes::{Regex, RegexBuilder};

/// Which events to take.
#[derive(Args, Debug)]
pub(crate) struct EventArgs {
    /// Take the events that match, such as 'cycles*'; the default is the first event
    #[arg(long, value_name = "GLOB")]
    pub(crate) event: Option<String>,

    /// Take all events, each as the root frame of its stacks
    #[arg(long)]
    pub(crate) by_event: bool,
}

/// The accounts of one event.
#[derive(Clone, Debug)]
pub(crate) struct EventAccount {
    pub(crate) name: Vec<u8>,
    /// False if its samples are left out.
    pub(crate) is_wanted: bool,
    pub(crate) samples: u64,
    /// The sum of the periods.
    pub(crate) periods: u128,
}

/// The events met so far; few, so they are found by looking at each.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    wanted: Wanted,
    /// Who asked for these events, in words.
    asked: String,
    /// How to have others, if one may.
    hint: &'static str,
    accounts: Vec<EventAccount>,
    /// Where the last event was found, since neighbours are mostly alike.
    last: usize,
}

#[derive(Clone, Debug)]
enum Wanted {
    First,
    Matching(Regex),
    All,
}

impl Events {
    pub(crate) fn new(args: &EventArgs) -> Result<Events> {
        let wanted = match &args.event {
            Some(glob) => Wanted::Matching(regex_of_glob(glob)?),
            None if args.by_event => Wanted::All,
            None => Wanted::First,
        };
        let asked = format!("--event asked for {}", args.event.as_deref().unwrap_or("*"));
        let hint = ", --event or --by-event takes them in";
        Ok(Events { wanted, asked, hint, accounts: Vec::new(), last: 0 })
    }

    /// Only the event of this name, which `asked` says is needed.
    pub(crate) fn only(name: &str, asked: &str) -> Result<Events> {
        let wanted = Wanted::Matching(regex_of_glob(name)?);
        let asked = asked.to_owned();
        Ok(Events { wanted, asked, hint: "", accounts: Vec::new(), last: 0 })
    }

    /// The same choice with empty accounts.
    pub(crate) fn fork(&self) -> Events {
        let mut events = self.clone();
        for account in &mut events.accounts {
            (account.samples, account.periods) = (0, 0);
        }
        events
    }

    /// False as long as the next event may be the first.
    pub(crate) fn are_chosen(&self) -> bool {
        !self.accounts.is_empty()
    }

    /// Adds the accounts of a fork.
    pub(crate) fn absorb(&mut self, other: &Events) {
        for theirs in &other.accounts {
            let index = self.index(&theirs.name);
            self.accounts[index].samples += theirs.samples;
            self.accounts[index].periods += theirs.periods;
        }
    }

    /// Stats for as many samples of an event, each of this period.
    #[inline]
    pub(crate) fn account(&mut self, event: usize, samples: u64, period: u64) {
        let account = &mut self.accounts[event];
        account.samples += samples;
        account.periods += u128::from(samples) * u128::from(period);
    }

    /// True if and only if the samples of an event are wanted.
    pub(crate) fn admits(&self, event: usize) -> bool {
        self.accounts[event].is_wanted
    }

    /// The frame an event shows as.
    pub(crate) fn name(&self, event: usize) -> &[u8] {
        some_name(&self.accounts[event].name)
    }

    /// What each event amounts to, the heaviest first.
    pub(crate) fn accounts(&self) -> Vec<&EventAccount> {
        let mut accounts: Vec<&EventAccount> = self.accounts.iter().collect();
        accounts.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.name.cmp(&b.name)));
        accounts
    }

    /// Adds all events to the accounts, and says which are left out.
    pub(crate) fn report(&self, by_period: bool, pipe: &mut Pipe) {
        let all: u64 = self.accounts.iter().map(|event| event.samples).sum();
        let is_any_wanted = self.accounts.iter().any(|event| event.is_wanted);
        for event in self.accounts() {
            let weight = if by_period { event.periods } else { u128::from(event.samples) };
            let flow = Total { lines: event.samples, weight };
            pipe.count_read(flow);
            if event.is_wanted {
                continue;
            }
            pipe.count_dropped(flow);
            if is_any_wanted {
                pipe.note(format_args!(
                    "event {}: {} of {all} samples (weight {weight}) left out{}",
                    shown(&event.name),
                    event.samples,
                    self.hint,
                ));
            }
        }
        if all > 0 && !is_any_wanted {
            let events: Vec<String> = self
                .accounts()
                .iter()
                .map(|event| format!("{} ({})", shown(&event.name), event.samples))
                .collect();
            pipe.note(format_args!(
                "no sample taken: all {all} are of event {}, but {}",
                events.join(", "),
                self.asked,
            ));
        }
    }

    /// The number of an event, by its name.
    pub(crate) fn index(&mut self, event: &[u8]) -> usize {
        if self.accounts.get(self.last).is_some_and(|account| account.name == event) {
            return self.last;
        }
        let found = self.accounts.iter().position(|account| is_same(&account.name, event));
        self.last = found.unwrap_or_else(|| {
            let name = plain_name(event);
            let is_wanted = match &self.wanted {
                Wanted::First => self.accounts.is_empty(),
                Wanted::Matching(glob) => glob.is_match(&name),
                Wanted::All => true,
            };
            self.accounts.push(EventAccount { name, is_wanted, samples: 0, periods: 0 });
            self.accounts.len() - 1
        });
        self.last
    }
}

/// What an event is called, also where its name was not printed.
fn some_name(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"[no event]" } else { name }
}

fn shown(name: &[u8]) -> String {
    some_name(name).to_str_lossy().into_owned()
}

/// On hybrid processors `cpu_core/cycles/` and `cpu_atom/cycles/` are one
/// event, `cycles`; behind the last `/` modifiers may follow.
fn hybrid_parts(event: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = event.strip_prefix(b"cpu_core/").or_else(|| event.strip_prefix(b"cpu_atom/"))?;
    rest.rsplit_once_str(b"/")
}

fn is_same(name: &[u8], event: &[u8]) -> bool {
    if name == event {
        return true;
    }
    hybrid_parts(event).is_some_and(|(bare, modifiers)| {
        name.strip_prefix(bare).is_some_and(|rest| match modifiers {
            b"" => rest.is_empty(),
            _ => rest.strip_prefix(b":") == Some(modifiers),
        })
    })
}

fn plain_name(event: &[u8]) -> Vec<u8> {
    match hybrid_parts(event) {
        Some((bare, b"")) => bare.to_vec(),
        Some((bare, modifiers)) => [bare, b":", modifiers].concat(),
        None => event.to_vec(),
    }
}

/// `*` stands for any text, `?` for one byte.
fn regex_of_glob(glob: &str) -> Result<Regex> {
    let pattern = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
    RegexBuilder::new(&format!("^(?:{pattern})$")).dot_matches_new_line(true).build().map_err(
        |error| Error::Usage(format!("--event: expected a glob such as 'cycles*': {error}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(event: Option<&str>, by_event: bool) -> Events {
        Events::new(&EventArgs { event: event.map(str::to_owned), by_event }).expect("a glob")
    }

    fn admits(events: &mut Events, event: &str, period: u64) -> bool {
        let index = events.index(event.as_bytes());
        events.account(index, 1, period);
        events.admits(index)
    }

    #[test]
    fn the_first_event_is_the_default() {
        let mut events = events(None, false);
        assert!(!events.are_chosen());
        assert!(admits(&mut events, "cycles", 7));
        assert!(!admits(&mut events, "page-faults", 1));
        assert!(admits(&mut events, "cycles", 9));
        let seen: Vec<_> = events.accounts().iter().map(|a| (a.samples, a.periods)).collect();
        assert_eq!(seen, [(2, 16), (1, 1)]);
    }

    #[test]
    fn a_glob_chooses() {
        let mut events = events(Some("sched:sched_*"), false);
        assert!(!admits(&mut events, "cycles", 1));
        assert!(admits(&mut events, "sched:sched_switch", 1));
        assert!(admits(&mut events, "sched:sched_wakeup", 1));
    }

    #[test]
    fn the_cores_of_a_hybrid_processor_count_one_event() {
        let mut events = events(None, true);
        let core = events.index(b"cpu_core/cycles/");
        assert_eq!(events.index(b"cpu_atom/cycles/"), core);
        assert_eq!(events.name(core), b"cycles");
        let with_modifiers = events.index(b"cpu_atom/cycles/Pu");
        assert_eq!(events.name(with_modifiers), b"cycles:Pu");
    }

    #[test]
    fn forks_add_up() {
        let mut events = events(None, false);
        assert!(admits(&mut events, "cycles", 7));
        let mut fork = events.fork();
        assert!(!admits(&mut fork, "page-faults", 1));
        assert!(admits(&mut fork, "cycles", 8));
        events.absorb(&fork);
        let seen: Vec<_> = events.accounts().iter().map(|a| (a.samples, a.periods)).collect();
        assert_eq!(seen, [(2, 15), (1, 1)]);
    }
}
