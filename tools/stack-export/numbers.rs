//! Numbers of processes and threads: viewers need one for each of them.

use std::collections::{HashMap, HashSet};

use crate::threads::Thread;

/// Gives each process and each thread its own number, or one that is not in use if it has none.
pub(crate) fn number(threads: &mut [Thread<'_>]) {
    let mut pids = Numbers::beside(threads.iter().map(|thread| &thread.pid[..]));
    let mut tids = Numbers::beside(threads.iter().map(|thread| &thread.tid[..]));
    let mut processes: HashMap<(String, String), u64> = HashMap::new();
    for thread in threads {
        let process = thread.process_key();
        thread.pid_number = *processes
            .entry(process)
            .or_insert_with(|| number_of(&thread.pid).unwrap_or_else(|| pids.next()));
        let own = number_of(&thread.tid).filter(|_| !thread.is_untimed_part);
        thread.tid_number = own.unwrap_or_else(|| tids.next());
    }
}

/// The numbers that are not in use.
struct Numbers {
    used: HashSet<u64>,
    last: u64,
}

impl Numbers {
    fn beside<'t>(texts: impl Iterator<Item = &'t str>) -> Numbers {
        Numbers { used: texts.filter_map(number_of).collect(), last: 0 }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        while self.used.contains(&self.last) {
            self.last += 1;
        }
        self.last
    }
}

/// Parses a number; `None` if the number would not be written like `text`.
fn number_of(text: &str) -> Option<u64> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number.into())
}
