//! The names of a batch of locations, found by several threads: each takes one object after
//! another.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::finder::Finder;
use super::location::{Detail, Location};
use super::named::{Named, Names};
use super::object::Object;

/// The functions at the locations of a batch.
#[derive(Debug)]
pub struct Resolved {
    /// The names of each object's locations.
    parts: Vec<Names>,
    /// For each location, its part and its index there.
    found: Vec<(u32, u32)>,
}

impl Resolved {
    /// Names the locations; the caller's thread is one of the `threads`.
    pub(super) fn new(
        objects: &mut [Object],
        batch: &[Location],
        finder: &Finder,
        detail: Detail,
        threads: usize,
    ) -> Resolved {
        // Neighbouring locations share much of what is read for them.
        let mut order: Vec<u32> = (0..).take(batch.len()).collect();
        order.sort_unstable_by_key(|&index| batch[index as usize]);
        let mut jobs = jobs(objects, batch, &order);
        jobs.sort_by_key(|job| std::cmp::Reverse(job.indices.len()));
        let threads = threads.min(jobs.len());
        let queue = Mutex::new(jobs.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            std::iter::from_fn(next)
                .map(|job| (job.indices, job.run(batch, finder, detail)))
                .collect::<Vec<_>>()
        };
        let done = thread::scope(|scope| {
            // The system may refuse a thread: then there are fewer.
            let helpers: Vec<_> = (1..threads)
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut done = work();
            for helper in helpers {
                let more = helper.join();
                done.extend(more.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        let (mut parts, mut found) = (Vec::new(), vec![(0, 0); batch.len()]);
        for (part, (of_part, names)) in (0..).zip(done) {
            for (within, &index) in (0..).zip(of_part) {
                found[index as usize] = (part, within);
            }
            parts.push(names);
        }
        Resolved { parts, found }
    }

    /// The functions at the location with this index in the batch: first those that were inlined,
    /// the innermost first, and last the function around them. At least one, but its name may be
    /// empty.
    ///
    /// # Panics
    ///
    /// If the batch had no such location.
    pub fn frames(&self, index: usize) -> impl Iterator<Item = Named<'_>> {
        let (part, within) = self.found[index];
        self.parts[part as usize].frames(within as usize)
    }
}

/// The locations of one object.
struct Job<'a> {
    object: &'a mut Object,
    /// Their indices in the batch.
    indices: &'a [u32],
}

impl Job<'_> {
    fn run(self, batch: &[Location], finder: &Finder, detail: Detail) -> Names {
        let addresses = self.indices.iter().map(|&index| batch[index as usize].address);
        self.object.resolve(addresses, finder, detail)
    }
}

/// The locations of each object; `order` has their indices, sorted by object.
fn jobs<'a>(objects: &'a mut [Object], batch: &[Location], order: &'a [u32]) -> Vec<Job<'a>> {
    let object_of = |index: u32| batch[index as usize].object;
    let mut groups = order.chunk_by(|&a, &b| object_of(a) == object_of(b)).peekable();
    let mut jobs = Vec::new();
    for (number, object) in objects.iter_mut().enumerate() {
        if let Some(indices) = groups.next_if(|group| object_of(group[0]).index() == number) {
            jobs.push(Job { object, indices });
        }
    }
    jobs
}
