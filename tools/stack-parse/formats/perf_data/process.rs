//! Who is who: which process has which files in memory, and what its threads are
//! called.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use hashbrown::HashMap;
use symbolize::ObjectId;

/// The process that stands for the kernel in records of maps.
pub(crate) const KERNEL: u32 = u32::MAX;

/// How many threads that ended are remembered. Some samples of a thread come after
/// the record of its end: it still has to free what it had.
const REMEMBERED: usize = 1 << 12;

/// A part of a file, or other code, in the memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) start: u64,
    /// The first address behind it.
    pub(crate) end: u64,
    /// Where in the file `start` is.
    pub(crate) offset: u64,
    pub(crate) object: ObjectId,
}

impl Map {
    /// Where in the file `address` is.
    pub(crate) fn offset_of(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// What a process has in memory: maps that do not overlap, sorted by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps {
    maps: Vec<Map>,
    /// The place of the map that was found last.
    last: Cell<usize>,
}

impl Maps {
    /// The map that holds `address`.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<&Map> {
        let holds = |map: &&Map| map.start <= address && address < map.end;
        // Neighbours of a stack are mostly in one file.
        if let Some(map) = self.maps.get(self.last.get()).filter(holds) {
            return Some(map);
        }
        let place = self.maps.partition_point(|map| map.end <= address);
        self.last.set(place);
        self.maps.get(place).filter(holds)
    }

    /// Whether any map has some of these addresses.
    fn overlap(&self, start: u64, end: u64) -> bool {
        let first = self.maps.partition_point(|old| old.end <= start);
        self.maps.get(first).is_some_and(|old| old.start < end)
    }

    /// Adds a map, which takes its addresses from those that were there before.
    fn insert(&mut self, map: Map) {
        self.replace(map.start, map.end, Some(map));
    }

    /// Puts a map, or nothing, in place of what was at these addresses.
    fn replace(&mut self, start: u64, end: u64, map: Option<Map>) {
        if start >= end {
            return;
        }
        let first = self.maps.partition_point(|old| old.end <= start);
        let behind = self.maps.partition_point(|old| old.start < end);
        let covered = &self.maps[first..behind];
        let left = covered.first().filter(|old| old.start < start);
        let left = left.map(|old| Map { end: start, ..*old });
        let right = covered.last().filter(|old| old.end > end);
        let right = right.map(|old| Map { start: end, offset: old.offset_of(end), ..*old });
        self.maps.splice(first..behind, left.into_iter().chain(map).chain(right));
    }
}

/// All processes of a recording.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    kernel: Maps,
    processes: HashMap<u32, Process>,
    threads: HashMap<u32, Thread>,
    /// Threads that ended, in this order.
    ended: VecDeque<u32>,
    /// The name that was made for a thread that has none.
    made_up: Vec<u8>,
    /// What a process has of which nothing is known.
    nothing: Maps,
}

#[derive(Debug, Default)]
struct Process {
    /// A child has its parent's until one of them changes.
    maps: Rc<Maps>,
    /// How many of `threads` it has.
    threads: usize,
}

#[derive(Debug)]
struct Thread {
    pid: u32,
    name: Option<Rc<[u8]>>,
    has_ended: bool,
}

impl Processes {
    /// Adds a map to the process `pid`, or to the kernel if that is [`KERNEL`].
    pub(crate) fn map(&mut self, pid: u32, map: Map) {
        if pid == KERNEL {
            return self.kernel.insert(map);
        }
        Rc::make_mut(&mut self.processes.entry(pid).or_default().maps).insert(map);
    }

    /// Code that was at these addresses is there no more: the process put data there.
    pub(crate) fn unmap(&mut self, pid: u32, start: u64, end: u64) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        // Most data is where no code was; then children go on to share the maps.
        if process.maps.overlap(start, end) {
            Rc::make_mut(&mut process.maps).replace(start, end, None);
        }
    }

    /// Gives a thread a name.
    ///
    /// A program that runs another one gets its name so, too. What it had in memory
    /// stays: until the kernel has put the new program there, samples are of the old one.
    pub(crate) fn comm(&mut self, pid: u32, tid: u32, name: &[u8]) {
        self.thread(pid, tid).name = Some(name.into());
    }

    /// A thread or a process begins. A thread has the memory of its process, a new
    /// process a copy of its parent's; both have their parent's name at first.
    pub(crate) fn fork(&mut self, pid: u32, parent_pid: u32, tid: u32, parent_tid: u32) {
        let name = self.threads.get(&parent_tid).and_then(|parent| parent.name.clone());
        self.forget(tid);
        if pid != parent_pid {
            let maps = self.processes.get(&parent_pid).map(|parent| Rc::clone(&parent.maps));
            self.processes.entry(pid).or_default().maps = maps.unwrap_or_default();
        }
        self.thread(pid, tid).name = name;
    }

    /// A thread ends.
    pub(crate) fn exit(&mut self, tid: u32) {
        let Some(thread) = self.threads.get_mut(&tid).filter(|thread| !thread.has_ended) else {
            return;
        };
        thread.has_ended = true;
        self.ended.push_back(tid);
        if self.ended.len() > REMEMBERED
            && let Some(oldest) = self.ended.pop_front()
            && self.threads.get(&oldest).is_some_and(|thread| thread.has_ended)
        {
            self.forget(oldest);
        }
    }

    /// The name of a thread, as perf prints it: `:123` if it has none.
    pub(crate) fn name(&mut self, tid: u32) -> &[u8] {
        if let Some(name) = self.threads.get(&tid).and_then(|thread| thread.name.as_deref()) {
            return name;
        }
        if tid == 0 {
            return b"swapper";
        }
        self.made_up.clear();
        self.made_up.extend_from_slice(format!(":{}", tid.cast_signed()).as_bytes());
        &self.made_up
    }

    /// What a process has in memory.
    pub(crate) fn maps(&self, pid: u32) -> &Maps {
        self.processes.get(&pid).map_or(&self.nothing, |process| &process.maps)
    }

    /// The kernel and its modules.
    pub(crate) fn kernel(&self) -> &Maps {
        &self.kernel
    }

    fn thread(&mut self, pid: u32, tid: u32) -> &mut Thread {
        self.threads.entry(tid).or_insert_with(|| {
            self.processes.entry(pid).or_default().threads += 1;
            Thread { pid, name: None, has_ended: false }
        })
    }

    /// Forgets a thread, and its process if it was the last one.
    fn forget(&mut self, tid: u32) {
        let Some(thread) = self.threads.remove(&tid) else { return };
        let Some(process) = self.processes.get_mut(&thread.pid) else { return };
        process.threads -= 1;
        if process.threads == 0 {
            self.processes.remove(&thread.pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object(number: u32) -> ObjectId {
        ObjectId::from_index(number)
    }

    fn map(start: u64, end: u64, offset: u64, number: u32) -> Map {
        Map { start, end, offset, object: object(number) }
    }

    fn objects(maps: &Maps, addresses: std::ops::Range<u64>) -> Vec<Option<(usize, u64)>> {
        let found =
            |address| maps.find(address).map(|it| (it.object.index(), it.offset_of(address)));
        addresses.map(found).collect()
    }

    proptest! {
        #[test]
        fn the_newest_map_has_an_address(
            maps in prop::collection::vec((0..32u64, 0..12u64, 0..64u64, any::<bool>()), 0..12),
        ) {
            let mut processes = Processes::default();
            // Object and offset at each address.
            let mut expected = vec![None; 48];
            for (number, &(start, length, offset, is_code)) in (0..).zip(&maps) {
                if is_code {
                    processes.map(1, map(start, start + length, offset, number));
                } else {
                    processes.unmap(1, start, start + length);
                }
                for address in start..start + length {
                    let place = (number as usize, offset + address - start);
                    expected[address as usize] = is_code.then_some(place);
                }
            }
            let ours = processes.maps(1);
            prop_assert_eq!(objects(ours, 0..48), expected);
            prop_assert!(ours.maps.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }

    #[test]
    fn a_child_has_its_own_copy_of_the_maps() {
        let mut processes = Processes::default();
        processes.comm(1, 1, b"shell");
        processes.map(1, map(0, 10, 0, 1));
        processes.fork(2, 1, 2, 1);
        processes.map(2, map(5, 10, 0, 2));
        processes.comm(2, 2, b"child");
        assert_eq!(objects(processes.maps(1), 4..6), [Some((1, 4)), Some((1, 5))]);
        assert_eq!(objects(processes.maps(2), 4..6), [Some((1, 4)), Some((2, 0))]);
        assert_eq!([processes.name(1).to_vec(), processes.name(2).to_vec()], [b"shell", b"child"]);
    }

    #[test]
    fn threads_share_maps_and_have_their_parents_name_at_first() {
        let mut processes = Processes::default();
        processes.comm(1, 1, b"server");
        processes.fork(1, 1, 7, 1);
        processes.map(1, map(0, 10, 0, 1));
        assert_eq!(processes.name(7), b"server");
        processes.comm(1, 7, b"w0 worker");
        processes.fork(1, 1, 8, 7);
        assert_eq!(processes.name(8), b"w0 worker");
        assert_eq!(processes.name(1), b"server");
        // The first thread may end before the others do.
        processes.exit(1);
        assert_eq!(objects(processes.maps(1), 4..5), [Some((1, 4))]);
    }

    #[test]
    fn a_new_program_keeps_the_maps_until_its_own_come() {
        let mut processes = Processes::default();
        processes.comm(1, 1, b"sh");
        processes.map(1, map(0, 10, 0, 1));
        processes.comm(1, 1, b"ls");
        assert_eq!(objects(processes.maps(1), 0..1), [Some((1, 0))]);
        processes.map(1, map(0, 10, 0, 2));
        assert_eq!(objects(processes.maps(1), 0..1), [Some((2, 0))]);
    }

    #[test]
    fn threads_without_a_name_have_a_number() {
        let mut processes = Processes::default();
        assert_eq!(processes.name(0), b"swapper");
        assert_eq!(processes.name(12), b":12");
        assert_eq!(processes.name(u32::MAX), b":-1");
        processes.fork(13, 12, 13, 12);
        assert_eq!(processes.name(13), b":13");
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let mut processes = Processes::default();
        processes.comm(1, 1, b"old");
        processes.map(1, map(0, 10, 0, 1));
        processes.exit(1);
        // Still known: its last samples may come now.
        assert_eq!(processes.name(1), b"old");
        processes.fork(1, 2, 1, 2);
        assert_eq!(processes.name(1), b":1");
        assert_eq!(objects(processes.maps(1), 0..1), [None]);
    }

    #[test]
    fn processes_that_ended_are_forgotten_in_time() {
        let mut processes = Processes::default();
        for pid in 1..100_000 {
            processes.fork(pid, 0, pid, 0);
            processes.map(pid, map(0, 10, 0, 1));
            processes.exit(pid);
        }
        assert!(processes.processes.len() <= REMEMBERED + 1);
        assert!(processes.threads.len() <= REMEMBERED + 1);
        assert!(processes.ended.len() <= REMEMBERED + 1);
    }

    #[test]
    fn the_kernel_is_in_all_processes() {
        let mut processes = Processes::default();
        processes.map(KERNEL, map(1 << 63, (1 << 63) + 10, 1 << 63, 1));
        assert_eq!(objects(processes.kernel(), 1 << 63..(1 << 63) + 1), [Some((1, 1 << 63))]);
        assert_eq!(objects(processes.maps(1), 1 << 63..(1 << 63) + 1), [None]);
    }
}
