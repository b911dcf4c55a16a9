//! Which process has which objects in memory, and the names of its threads.

pub(crate) mod maps;

use std::collections::VecDeque;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::records::{MapRecord, Record};
use maps::{Map, Maps};

/// How many threads are still remembered after their end. Some samples of a thread come after the
/// record of its end: the thread still has to free its memory.
const REMEMBERED: usize = 1 << 12;

/// The processes of a recording at the time of its last record: their memory and the names of
/// their threads.
///
/// `O` is how the caller identifies an object, which is a file or other memory with a name. A
/// number is best, as it is copied with each map.
#[derive(Debug)]
pub struct Processes<O: Copy> {
    kernel: Maps<O>,
    processes: HashMap<u32, Process<O>>,
    threads: HashMap<u32, Thread>,
    /// Threads that ended, in the order in which they did.
    ended: VecDeque<u32>,
    /// The name that was last made for a thread without a name.
    made_up: Vec<u8>,
    /// The maps of a process about which nothing is known: none.
    nothing: Maps<O>,
}

#[derive(Debug)]
struct Process<O: Copy> {
    maps: Maps<O>,
    /// How many of `threads` belong to it.
    threads: usize,
}

impl<O: Copy> Default for Process<O> {
    fn default() -> Process<O> {
        Process { maps: Maps::default(), threads: 0 }
    }
}

#[derive(Debug)]
struct Thread {
    pid: u32,
    name: Option<Rc<[u8]>>,
    has_ended: bool,
}

impl<O: Copy> Default for Processes<O> {
    fn default() -> Processes<O> {
        Processes {
            kernel: Maps::default(),
            processes: HashMap::new(),
            threads: HashMap::new(),
            ended: VecDeque::new(),
            made_up: Vec::new(),
            nothing: Maps::default(),
        }
    }
}

impl<O: Copy> Processes<O> {
    /// No process is known yet.
    #[must_use]
    pub fn new() -> Processes<O> {
        Processes::default()
    }

    /// Applies a record to the processes. For each map of code, `object` must return the object
    /// that is mapped.
    pub fn apply(&mut self, record: &Record<'_>, object: impl FnOnce(&MapRecord<'_>) -> O) {
        match record {
            Record::Map(map) if map.is_code => self.map(map, object(map)),
            Record::Map(map) => self.unmap(map),
            Record::Comm { pid, tid, name, .. } => self.comm(*pid, *tid, name),
            Record::Fork { pid, parent_pid, tid, parent_tid, .. } => {
                self.fork(*pid, *parent_pid, *tid, *parent_tid);
            }
            Record::Exit { tid, .. } => self.exit(*tid),
            _ => {}
        }
    }

    /// Maps `object`; what was mapped at these addresses before is no longer there.
    pub fn map(&mut self, map: &MapRecord<'_>, object: O) {
        let end = map.start.saturating_add(map.length);
        let added = Map { start: map.start, end, offset: map.offset, object };
        if map.pid == MapRecord::KERNEL {
            return self.kernel.insert(added);
        }
        self.processes.entry(map.pid).or_default().maps.insert(added);
    }

    /// The name of a thread, as perf prints it: `:123` if it has none.
    pub fn name(&mut self, tid: u32) -> &[u8] {
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

    /// The object that is mapped at `address` in the process `pid`, or in the kernel for
    /// [`MapRecord::KERNEL`], and where in the object that is, in bytes.
    #[must_use]
    pub fn find(&self, pid: u32, address: u64) -> Option<(O, u64)> {
        let maps = if pid == MapRecord::KERNEL { self.kernel() } else { self.maps(pid) };
        let map = maps.find(address)?;
        Some((map.object, map.offset_of(address)))
    }

    /// The kernel and its modules.
    pub(crate) fn kernel(&self) -> &Maps<O> {
        &self.kernel
    }

    /// What a process has in memory.
    pub(crate) fn maps(&self, pid: u32) -> &Maps<O> {
        self.processes.get(&pid).map_or(&self.nothing, |process| &process.maps)
    }

    /// Removes the code that was at these addresses: the process has mapped data there.
    fn unmap(&mut self, map: &MapRecord<'_>) {
        let Some(process) = self.processes.get_mut(&map.pid) else { return };
        let end = map.start.saturating_add(map.length);
        // Most data is mapped where there was no code: then nothing changes.
        if process.maps.overlap(map.start, end) {
            process.maps.remove(map.start, end);
        }
    }

    /// Gives a thread a name.
    ///
    /// A program that runs another one also gets its new name like this. Its maps stay: until the
    /// kernel has mapped the new program, samples belong to the old one.
    fn comm(&mut self, pid: u32, tid: u32, name: &[u8]) {
        self.thread(pid, tid).name = Some(name.into());
    }

    /// Adds a thread or a process. A thread has the memory of its process, a new process a copy of
    /// its parent's; both have their parent's name at first.
    fn fork(&mut self, pid: u32, parent_pid: u32, tid: u32, parent_tid: u32) {
        let name = self.threads.get(&parent_tid).and_then(|parent| parent.name.clone());
        self.forget(tid);
        if pid != parent_pid {
            let maps = self.processes.get(&parent_pid).map(|parent| parent.maps.clone());
            self.processes.entry(pid).or_default().maps = maps.unwrap_or_default();
        }
        self.thread(pid, tid).name = name;
    }

    /// Notes the end of a thread.
    fn exit(&mut self, tid: u32) {
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
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    const KERNEL: u32 = MapRecord::KERNEL;

    /// Maps the object of this number as code.
    fn map(
        processes: &mut Processes<u32>,
        pid: u32,
        (start, end, offset): (u64, u64, u64),
        number: u32,
    ) {
        change(processes, pid, (start, end, offset), Some(number));
    }

    /// Maps an object as code, or data.
    fn change(
        processes: &mut Processes<u32>,
        pid: u32,
        (start, end, offset): (u64, u64, u64),
        number: Option<u32>,
    ) {
        let (is_code, is_kernel) = (number.is_some(), pid == MapRecord::KERNEL);
        let (length, path, build_id, file) = (end - start, &b""[..], None, None);
        let map =
            MapRecord { pid, start, length, offset, path, build_id, file, is_code, is_kernel };
        processes.apply(&Record::Map(map), |_| number.expect("it is code"));
    }

    fn objects(
        processes: &Processes<u32>,
        pid: u32,
        addresses: std::ops::Range<u64>,
    ) -> Vec<Option<(u32, u64)>> {
        addresses.map(|address| processes.find(pid, address)).collect()
    }

    proptest! {
        #[test]
        fn the_newest_map_has_an_address(
            maps in prop::collection::vec((0..32u64, 0..12u64, 0..64u64, any::<bool>()), 0..12),
        ) {
            let mut processes = Processes::new();
            // Object and offset at each address.
            let mut expected = vec![None; 48];
            for (number, &(start, length, offset, is_code)) in (0..).zip(&maps) {
                let addresses = (start, start + length, offset);
                change(&mut processes, 1, addresses, is_code.then_some(number));
                for address in start..start + length {
                    let found = (number, offset + address - start);
                    expected[address as usize] = is_code.then_some(found);
                }
            }
            prop_assert_eq!(objects(&processes, 1, 0..48), expected);
            prop_assert!(processes.maps(1).are_in_order());
        }
    }

    #[test]
    fn a_child_has_its_own_copy_of_the_maps() {
        let mut processes = Processes::new();
        processes.comm(1, 1, b"shell");
        map(&mut processes, 1, (0, 10, 0), 1);
        processes.fork(2, 1, 2, 1);
        map(&mut processes, 2, (5, 10, 0), 2);
        processes.comm(2, 2, b"child");
        assert_eq!(objects(&processes, 1, 4..6), [Some((1, 4)), Some((1, 5))]);
        assert_eq!(objects(&processes, 2, 4..6), [Some((1, 4)), Some((2, 0))]);
        assert_eq!([processes.name(1).to_vec(), processes.name(2).to_vec()], [b"shell", b"child"]);
    }

    #[test]
    fn a_chain_of_forks_costs_what_each_changes() {
        let mut processes = Processes::new();
        const COUNT: u32 = 3000;
        for number in 1..COUNT {
            let start = u64::from(number) * 0x1000;
            map(&mut processes, 1, (start, start + 0x800, 0), number);
        }
        for pid in 2..COUNT {
            processes.fork(pid, pid - 1, pid, pid - 1);
            let start = u64::from(pid) * 0x1000 + 0x800;
            map(&mut processes, pid, (start, start + 0x800, 0), pid);
        }
        let mut nodes = HashSet::new();
        processes.processes.values().for_each(|process| process.maps.add_nodes(&mut nodes));
        // A tree of 3,000 maps is at most 17 high, and each change goes down it twice; a copy
        // for each process would be 9,000,000 maps.
        assert!(nodes.len() < 34 * COUNT as usize, "{}", nodes.len());
        assert!(processes.processes.values().all(|process| process.maps.are_in_order()));
        let address = 2 * 0x1000 + 0x800;
        assert_eq!(processes.find(COUNT - 1, address), Some((2, 0)));
        assert_eq!(processes.find(1, address), None);
    }

    #[test]
    fn threads_share_maps_and_have_their_parents_name_at_first() {
        let mut processes = Processes::new();
        processes.comm(1, 1, b"server");
        processes.fork(1, 1, 7, 1);
        map(&mut processes, 1, (0, 10, 0), 1);
        assert_eq!(processes.name(7), b"server");
        processes.comm(1, 7, b"w0 worker");
        processes.fork(1, 1, 8, 7);
        assert_eq!(processes.name(8), b"w0 worker");
        assert_eq!(processes.name(1), b"server");
        // The first thread may end before the others do.
        processes.exit(1);
        assert_eq!(objects(&processes, 1, 4..5), [Some((1, 4))]);
    }

    #[test]
    fn a_new_program_keeps_the_maps_until_its_own_come() {
        let mut processes = Processes::new();
        processes.comm(1, 1, b"sh");
        map(&mut processes, 1, (0, 10, 0), 1);
        processes.comm(1, 1, b"ls");
        assert_eq!(objects(&processes, 1, 0..1), [Some((1, 0))]);
        map(&mut processes, 1, (0, 10, 0), 2);
        assert_eq!(objects(&processes, 1, 0..1), [Some((2, 0))]);
    }

    #[test]
    fn threads_without_a_name_have_a_number() {
        let mut processes = Processes::<u32>::new();
        assert_eq!(processes.name(0), b"swapper");
        assert_eq!(processes.name(12), b":12");
        assert_eq!(processes.name(u32::MAX), b":-1");
        processes.fork(13, 12, 13, 12);
        assert_eq!(processes.name(13), b":13");
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let mut processes = Processes::new();
        processes.comm(1, 1, b"old");
        map(&mut processes, 1, (0, 10, 0), 1);
        processes.exit(1);
        // Still known: its last samples may come now.
        assert_eq!(processes.name(1), b"old");
        processes.fork(1, 2, 1, 2);
        assert_eq!(processes.name(1), b":1");
        assert_eq!(objects(&processes, 1, 0..1), [None]);
    }

    #[test]
    fn processes_that_ended_are_forgotten_in_time() {
        let mut processes = Processes::new();
        for pid in 1..100_000 {
            processes.fork(pid, 0, pid, 0);
            map(&mut processes, pid, (0, 10, 0), 1);
            processes.exit(pid);
        }
        assert!(processes.processes.len() <= REMEMBERED + 1);
        assert!(processes.threads.len() <= REMEMBERED + 1);
        assert!(processes.ended.len() <= REMEMBERED + 1);
    }

    #[test]
    fn the_kernel_is_in_all_processes() {
        let mut processes = Processes::new();
        map(&mut processes, KERNEL, (1 << 63, (1 << 63) + 10, 1 << 63), 1);
        assert_eq!(objects(&processes, KERNEL, 1 << 63..(1 << 63) + 1), [Some((1, 1 << 63))]);
        assert_eq!(objects(&processes, 1, 1 << 63..(1 << 63) + 1), [None]);
    }
}
