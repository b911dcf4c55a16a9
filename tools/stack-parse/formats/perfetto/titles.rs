//! The names of tracks, threads and processes, which may come after their first use.

use hashbrown::HashMap;

use super::messages::{Message, repeated};
use crate::read::protobuf::Malformed;

/// The greatest depth of nested tracks; more levels are a cycle.
const DEEPEST: usize = 100;

#[derive(Default)]
pub(super) struct Titles {
    tracks: HashMap<u64, Track>,
    processes: HashMap<i64, Vec<u8>>,
    threads: HashMap<(i64, i64), Vec<u8>>,
}

/// The data of a track.
#[derive(Default)]
struct Track {
    name: Vec<u8>,
    parent: u64,
    process: Option<i64>,
    /// Its process and thread.
    thread: Option<(i64, i64)>,
}

/// The owner of a track; unknown fields are empty or `None`.
#[derive(Default)]
pub(super) struct Whose {
    pub(super) name: Vec<u8>,
    pub(super) process: Option<i64>,
    pub(super) thread: Option<i64>,
    /// Whether it is the track of a thread itself.
    pub(super) is_thread: bool,
}

impl Titles {
    /// Adds a descriptor of a track; returns the message of its thread.
    pub(super) fn add_track<'a>(
        &mut self,
        message: &'a [u8],
    ) -> Result<Option<&'a [u8]>, Malformed> {
        let said = Message::<14>::read(message)?;
        let process = said.message(3).map(|it| self.add_process(it)).transpose()?;
        let thread = said.message(4).map(|it| self.add_thread(it)).transpose()?;
        let track = self.tracks.entry(said.number(1)).or_default();
        let name = [2, 10, 13].map(|field| said.bytes(field));
        if let Some(name) = name.into_iter().find(|name| !name.is_empty()) {
            track.name = name.to_vec();
        }
        track.parent = said.known(5).unwrap_or(track.parent);
        track.process = process.or(track.process);
        track.thread = thread.or(track.thread);
        Ok(said.message(4))
    }

    /// Adds a descriptor of a process; returns its id.
    pub(super) fn add_process(&mut self, message: &[u8]) -> Result<i64, Malformed> {
        let process = Message::<7>::read(message)?;
        // The name, or else the first word of the command.
        let command = repeated(message, 2).next().transpose()?.unwrap_or_default();
        let name = Some(process.bytes(6)).filter(|name| !name.is_empty());
        self.name_process(process.signed(1), name.unwrap_or(command));
        Ok(process.signed(1))
    }

    /// Adds a descriptor of a thread; returns the ids of its process and of the thread.
    pub(super) fn add_thread(&mut self, message: &[u8]) -> Result<(i64, i64), Malformed> {
        let thread = Message::<6>::read(message)?;
        let number = (thread.signed(1), thread.signed(2));
        self.name_thread(number, thread.bytes(5));
        Ok(number)
    }

    /// Adds a list of processes and threads.
    pub(super) fn add_tree(&mut self, message: &[u8]) -> Result<(), Malformed> {
        for process in repeated(message, 1) {
            let process = process?;
            let command = repeated(process, 3).next().transpose()?.unwrap_or_default();
            self.name_process(Message::<2>::read(process)?.signed(1), command);
        }
        for thread in repeated(message, 2) {
            let thread = Message::<4>::read(thread?)?;
            self.name_thread((thread.signed(3), thread.signed(1)), thread.bytes(2));
        }
        Ok(())
    }

    fn name_process(&mut self, process: i64, name: &[u8]) {
        if !name.is_empty() {
            self.processes.insert(process, name.to_vec());
        }
    }

    fn name_thread(&mut self, thread: (i64, i64), name: &[u8]) {
        if !name.is_empty() {
            self.threads.insert(thread, name.to_vec());
        }
    }

    /// The name of a process; empty if it is unknown.
    pub(super) fn process(&self, process: i64) -> &[u8] {
        self.processes.get(&process).map(Vec::as_slice).unwrap_or_default()
    }

    /// The name of a thread, or else that of its process.
    pub(super) fn thread(&self, process: i64, thread: i64) -> &[u8] {
        let name = self.threads.get(&(process, thread)).map(Vec::as_slice);
        name.unwrap_or_else(|| self.process(process))
    }

    /// The owner of a track, from the track itself or from its parents.
    pub(super) fn track(&self, number: u64) -> Whose {
        let mut whose = Whose::default();
        let own = self.tracks.get(&number);
        let above = |track: &&Track| self.tracks.get(&track.parent).filter(|_| track.parent != 0);
        for track in std::iter::successors(own, above).take(DEEPEST) {
            if let Some((process, thread)) = track.thread {
                whose.process = whose.process.or(Some(process));
                whose.thread = whose.thread.or(Some(thread));
            }
            whose.process = whose.process.or(track.process);
        }
        whose.is_thread = own.is_none_or(|track| track.thread.is_some());
        let thread = whose.thread.map_or(-1, |thread| thread);
        let of_thread = whose.process.map_or(&b""[..], |process| self.thread(process, thread));
        let name = own.map_or(&b""[..], |track| &track.name);
        let (first, second) = if whose.is_thread { (of_thread, name) } else { (name, of_thread) };
        whose.name = if first.is_empty() { second } else { first }.to_vec();
        if whose.name.is_empty() {
            whose.name = format!("track {number}").into_bytes();
        }
        whose
    }
}
