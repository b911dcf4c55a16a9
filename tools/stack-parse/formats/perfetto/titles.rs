//! The names of tracks, threads and processes, which may come after their first use.

use hashbrown::HashMap;

use super::messages::{
    process, process_descriptor, process_tree, thread, thread_descriptor, track_descriptor as track,
};
use crate::read::protobuf::{Malformed, repeated};

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
        let said = track::read(message)?;
        let process = said.message(track::PROCESS).map(|it| self.add_process(it)).transpose()?;
        let thread = said.message(track::THREAD).map(|it| self.add_thread(it)).transpose()?;
        let known = self.tracks.entry(said.number(track::UUID)).or_default();
        let names = [track::NAME, track::STATIC_NAME, track::ATRACE_NAME];
        let mut names = names.into_iter().map(|field| said.bytes(field));
        if let Some(name) = names.find(|name| !name.is_empty()) {
            known.name = name.to_vec();
        }
        known.parent = said.known(track::PARENT_UUID).unwrap_or(known.parent);
        known.process = process.or(known.process);
        known.thread = thread.or(known.thread);
        Ok(said.message(track::THREAD))
    }

    /// Adds a descriptor of a process; returns its id.
    pub(super) fn add_process(&mut self, message: &[u8]) -> Result<i64, Malformed> {
        use process_descriptor::{CMDLINE, PID, PROCESS_NAME};
        let said = process_descriptor::read(message)?;
        // The name, or else the first word of the command.
        let command = repeated(message, CMDLINE).next().transpose()?.unwrap_or_default();
        let name = Some(said.bytes(PROCESS_NAME)).filter(|name| !name.is_empty());
        self.name_process(said.signed(PID), name.unwrap_or(command));
        Ok(said.signed(PID))
    }

    /// Adds a descriptor of a thread; returns the ids of its process and of the thread.
    pub(super) fn add_thread(&mut self, message: &[u8]) -> Result<(i64, i64), Malformed> {
        let said = thread_descriptor::read(message)?;
        let number = (said.signed(thread_descriptor::PID), said.signed(thread_descriptor::TID));
        self.name_thread(number, said.bytes(thread_descriptor::THREAD_NAME));
        Ok(number)
    }

    /// Adds a list of processes and threads.
    pub(super) fn add_tree(&mut self, message: &[u8]) -> Result<(), Malformed> {
        for it in repeated(message, process_tree::PROCESSES) {
            let it = it?;
            let command = repeated(it, process::CMDLINE).next().transpose()?.unwrap_or_default();
            self.name_process(process::read(it)?.signed(process::PID), command);
        }
        for it in repeated(message, process_tree::THREADS) {
            let it = thread::read(it?)?;
            let number = (it.signed(thread::TGID), it.signed(thread::TID));
            self.name_thread(number, it.bytes(thread::NAME));
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
