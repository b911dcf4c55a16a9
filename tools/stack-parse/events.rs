//! Which events of a recording are wanted, and what each amounts to.

use bstr::ByteSlice;
use clap::Args;
use common::{Error, Result};
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
    /// False if its samples were left out.
    pub(crate) admitted: bool,
    pub(crate) samples: u64,
    /// The sum of the periods.
    pub(crate) periods: u128,
}

/// The events met so far; few, so they are found by looking at each.
#[derive(Debug)]
pub(crate) struct Events {
    wanted: Wanted,
    accounts: Vec<EventAccount>,
}

#[derive(Debug)]
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
        Ok(Events { wanted, accounts: Vec::new() })
    }

    /// Accounts for one sample of `event`; true if it is wanted.
    pub(crate) fn admit(&mut self, event: &[u8], period: u64) -> bool {
        let index = self.index(event);
        let account = &mut self.accounts[index];
        account.samples += 1;
        account.periods += u128::from(period);
        account.admitted
    }

    fn index(&mut self, event: &[u8]) -> usize {
        let mut names = self.accounts.iter();
        names.position(|account| is_same(&account.name, event)).unwrap_or_else(|| {
            let name = plain_name(event);
            let admitted = match &self.wanted {
                Wanted::First => self.accounts.is_empty(),
                Wanted::Matching(glob) => glob.is_match(&name),
                Wanted::All => true,
            };
            self.accounts.push(EventAccount { name, admitted, samples: 0, periods: 0 });
            self.accounts.len() - 1
        })
    }

    /// The frame an event shows as.
    pub(crate) fn shown(&self, event: &[u8]) -> &[u8] {
        let account = self.accounts.iter().find(|account| is_same(&account.name, event));
        match account {
            Some(account) if !account.name.is_empty() => &account.name,
            _ => b"[no event]",
        }
    }

    /// What each event amounts to, in order of arrival.
    pub(crate) fn accounts(&self) -> &[EventAccount] {
        &self.accounts
    }
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

    #[test]
    fn the_first_event_is_the_default() {
        let mut events = events(None, false);
        assert!(events.admit(b"cycles", 7));
        assert!(!events.admit(b"page-faults", 1));
        assert!(events.admit(b"cycles", 9));
        let seen: Vec<_> = events.accounts().iter().map(|a| (a.samples, a.periods)).collect();
        assert_eq!(seen, [(2, 16), (1, 1)]);
    }

    #[test]
    fn a_glob_chooses() {
        let mut events = events(Some("sched:sched_*"), false);
        assert!(!events.admit(b"cycles", 1));
        assert!(events.admit(b"sched:sched_switch", 1));
        assert!(events.admit(b"sched:sched_wakeup", 1));
    }

    #[test]
    fn the_cores_of_a_hybrid_processor_count_one_event() {
        let mut events = events(None, true);
        assert!(events.admit(b"cpu_core/cycles/", 1));
        assert!(events.admit(b"cpu_atom/cycles/", 1));
        assert!(events.admit(b"cpu_atom/cycles/Pu", 1));
        assert_eq!(events.accounts().len(), 2);
        assert_eq!(events.shown(b"cpu_atom/cycles/"), b"cycles");
        assert_eq!(events.shown(b"cpu_core/cycles/Pu"), b"cycles:Pu");
    }
}
