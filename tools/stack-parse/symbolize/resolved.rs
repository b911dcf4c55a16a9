//! The names of a batch of locations, found by several threads: each takes one
//! object after the other.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::object::Object;
use super::{Detail, Finder, Location};

/// A function at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named<'a> {
    /// Empty if it is not known.
    pub(crate) name: &'a [u8],
    /// `demo.c:14`, or empty.
    pub(crate) source: &'a [u8],
    /// Whether the compiler put this function into the next one.
    pub(crate) inlined: bool,
}

/// The functions at some locations.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    frames: Vec<FrameEnd>,
    /// How many frames there are up to the end of each location.
    locations: Vec<usize>,
}

/// Where the texts of a frame end; they begin where those before end.
#[derive(Clone, Copy, Debug, Default)]
struct FrameEnd {
    name: usize,
    source: usize,
    inlined: bool,
}

impl Names {
    /// Adds a function at this location, behind those that are in it.
    pub(super) fn push(&mut self, name: &[u8], source: &[u8], inlined: bool) {
        self.text.extend_from_slice(name);
        let name = self.text.len();
        self.text.extend_from_slice(source);
        self.frames.push(FrameEnd { name, source: self.text.len(), inlined });
    }

    /// All functions of this location are added.
    pub(super) fn end_location(&mut self) {
        self.locations.push(self.frames.len());
    }

    /// Adds locations of one function each.
    pub(super) fn extend<'a>(&mut self, names: impl Iterator<Item = Option<&'a [u8]>>) {
        for name in names {
            self.push(name.unwrap_or_default(), b"", false);
            self.end_location();
        }
    }

    fn frames(&self, location: usize) -> impl Iterator<Item = Named<'_>> {
        let first = location.checked_sub(1).map_or(0, |before| self.locations[before]);
        (first..self.locations[location]).map(|frame| {
            let FrameEnd { name, source, inlined } = self.frames[frame];
            let start = frame.checked_sub(1).map_or(0, |before| self.frames[before].source);
            Named { name: &self.text[start..name], source: &self.text[name..source], inlined }
        })
    }
}

/// The functions at the locations of a batch.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Those of each object.
    parts: Vec<Names>,
    /// In which part each location is, and where.
    places: Vec<(u32, u32)>,
}

impl Resolved {
    /// Names the locations; the caller is one of the `threads`.
    pub(super) fn new(
        objects: &mut [Object],
        batch: &[Location],
        finder: &Finder,
        detail: Detail,
        threads: usize,
    ) -> Resolved {
        // Neighbours share much of what is read for them.
        let mut order: Vec<u32> = (0..).take(batch.len()).collect();
        order.sort_unstable_by_key(|&place| batch[place as usize]);
        let mut jobs = jobs(objects, batch, &order);
        jobs.sort_by_key(|job| std::cmp::Reverse(job.places.len()));
        let threads = threads.min(jobs.len());
        let queue = Mutex::new(jobs.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            std::iter::from_fn(next)
                .map(|job| (job.places, job.run(batch, finder, detail)))
                .collect::<Vec<_>>()
        };
        let done = thread::scope(|scope| {
            // The system may have fewer threads for us.
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
        let (mut parts, mut places) = (Vec::new(), vec![(0, 0); batch.len()]);
        for (part, (of_part, names)) in (0..).zip(done) {
            for (within, &place) in (0..).zip(of_part) {
                places[place as usize] = (part, within);
            }
            parts.push(names);
        }
        Resolved { parts, places }
    }

    /// The functions at the location with this place in the batch: those that were
    /// put into others first, at least one.
    pub(crate) fn frames(&self, place: usize) -> impl Iterator<Item = Named<'_>> {
        let (part, within) = self.places[place];
        self.parts[part as usize].frames(within as usize)
    }
}

/// The locations of one object.
struct Job<'a> {
    object: &'a mut Object,
    /// Their places in the batch.
    places: &'a [u32],
}

impl Job<'_> {
    fn run(self, batch: &[Location], finder: &Finder, detail: Detail) -> Names {
        let addresses = self.places.iter().map(|&place| batch[place as usize].address);
        self.object.resolve(addresses, finder, detail)
    }
}

/// The locations of each object; `order` has their places, sorted by object.
fn jobs<'a>(objects: &'a mut [Object], batch: &[Location], order: &'a [u32]) -> Vec<Job<'a>> {
    let object_of = |place: u32| batch[place as usize].object;
    let mut groups = order.chunk_by(|&a, &b| object_of(a) == object_of(b)).peekable();
    let mut jobs = Vec::new();
    for (number, object) in objects.iter_mut().enumerate() {
        if let Some(places) = groups.next_if(|group| object_of(group[0]).index() == number) {
            jobs.push(Job { object, places });
        }
    }
    jobs
}
