//! How much sooner the program would end if one function of own code were twice as fast: `--gains`.

use std::cmp::Reverse;

use common::critical::{Ends, Lengths, Slices};
use common::io::{Screen, push_field};
use common::names::{fitted, printable_name, utf8};
use common::numbers::share;
use common::own_code::{OwnCode, Room};
use console::truncate_str;

use crate::functions::{Function, Functions};
use crate::replay::{Kept, replay};

/// A function of own code, with all that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gain {
    name: Vec<u8>,
    /// How much sooner the program ends, in nanoseconds; negative if it ends later.
    sooner: i64,
    /// How long the path runs in it, and how long all threads do, in nanoseconds.
    path: u64,
    cpu: u64,
    /// On which lines, and what it calls or who has it done, with shares of the time of the path.
    details: String,
}

/// The gains, the most first.
#[derive(Debug)]
pub(crate) struct Gains {
    pub(crate) rows: Vec<Gain>,
    /// The time from the start to the end, and how long all threads ran, in nanoseconds.
    elapsed: u64,
    ran: u64,
    own: OwnCode,
}

/// Of more functions the gain is not computed.
const MOST: usize = 40;

/// A function with less of the path and of all running than one in this many gains nothing worth
/// the time to compute it.
const LEAST_PART: u64 = 200;

impl Gains {
    /// Of the functions that run most on the path or in all threads.
    pub(crate) fn of(slices: &Slices, ends: Ends, path: &Lengths) -> Gains {
        let (functions, own) = (Functions::of(slices, path), Functions::charged(slices, path));
        let (elapsed, ran) = (ends.end - ends.start, functions.ran);
        let mut matter: Vec<&Function> = functions.without_wrappers().collect();
        matter.retain(|it| it.path > elapsed / LEAST_PART || it.cpu > ran / LEAST_PART);
        matter.sort_unstable_by_key(|it| (Reverse((it.path, it.cpu)), &it.name));
        matter.truncate(MOST);
        let row = |function: &Function| {
            let kept = functions.kept_if_twice_as_fast(function);
            let (_, new) = replay(slices, &Kept::new(slices, kept), ends);
            let charged = own.rows.get(&function.name);
            let details = charged.map(|it| it.lines_and_calls(elapsed, Room::default()));
            Gain {
                name: function.name.clone(),
                sooner: elapsed as i64 - new.end.saturating_sub(new.start) as i64,
                path: function.path,
                cpu: function.cpu,
                details: details.unwrap_or_default(),
            }
        };
        let mut rows: Vec<Gain> = matter.into_iter().map(row).collect();
        rows.sort_by(|a, b| (Reverse(a.sooner), &a.name).cmp(&(Reverse(b.sooner), &b.name)));
        Gains { rows, elapsed, ran, own }
    }

    /// What to say where no frame is known to be own code.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.own.hint()
    }

    /// A table for people.
    pub(crate) fn table(&self, screen: &Screen) -> Vec<u8> {
        let mut text = b"    SOONER  SOONER%    PATH%     CPU%  FUNCTION\n".to_vec();
        for Gain { name, sooner, path, cpu, details } in &self.rows {
            let seconds = format!("{:.3} s", *sooner as f64 / 1e9);
            let sign = if *sooner < 0 { "-" } else { "" };
            let part = format!("{sign}{}", share(sooner.unsigned_abs(), self.elapsed));
            let [path, cpu] = [share(*path, self.elapsed), share(*cpu, self.ran)];
            let numbers = format!("{seconds:>10}  {part:>7}  {path:>7}  {cpu:>7}  ");
            let width = screen.width_of_name(numbers.len()).unwrap_or(usize::MAX);
            let name = fitted(&printable_name(name), width);
            text.extend_from_slice(format!("{numbers}{name}\n").as_bytes());
            if !details.is_empty() {
                let (before, width) = (numbers.len() + 2, width.saturating_sub(2));
                let details = truncate_str(details, width, "\u{2026}");
                text.extend_from_slice(format!("{:before$}{details}\n", "").as_bytes());
            }
        }
        let foot = format!(
            "of {:.3} s; each row: if this function and what it calls were twice as fast\n",
            self.elapsed as f64 / 1e9
        );
        text.extend_from_slice(foot.as_bytes());
        text
    }

    /// A table for programs, in nanoseconds.
    pub(crate) fn tsv(&self) -> Vec<u8> {
        let mut text = b"function\tsooner\tpath\tcpu\telapsed\n".to_vec();
        for Gain { name, sooner, path, cpu, .. } in &self.rows {
            push_field(&utf8(name), &mut text);
            let numbers = format!("\t{sooner}\t{path}\t{cpu}\t{}\n", self.elapsed);
            text.extend_from_slice(numbers.as_bytes());
        }
        text
    }
}
