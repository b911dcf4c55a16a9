//! The program that perf started and recorded, and how perf was asked to.

use std::collections::BTreeSet;

use common::numbers::decimal;

/// Finds the program in perf's command line. Without `--` before it, it is the first word that is
/// the name of a recorded process, since only perf knows which of its options take a value.
#[derive(Default)]
pub(super) struct Program {
    /// perf's command line.
    words: Vec<Vec<u8>>,
    /// The index of the program, if it was found.
    found: Option<usize>,
    /// Whether other programs were recorded, too.
    has_others: bool,
    /// The processes that some perf forked, before they became its program.
    forked: BTreeSet<u32>,
    /// The process that became the program.
    started: Option<u32>,
}

/// The name that perf gives to the process that becomes the program.
pub(super) const FORKED: &[u8] = b"perf-exec";

impl Program {
    pub(super) fn set_command(&mut self, words: &[&[u8]]) {
        self.words = words.iter().map(|word| word.to_vec()).collect();
        self.found = words.iter().position(|word| *word == b"--").map(|dashes| dashes + 1);
    }

    /// Notes the name of a process, of which the kernel keeps the first 15 bytes.
    pub(super) fn note_process(&mut self, name: &[u8]) {
        // The first words are `perf record`.
        let is_it = |word: &&Vec<u8>| !name.is_empty() && is_name_of(name, word);
        let found = self.words.iter().skip(2).position(|word| is_it(&word)).map(|at| at + 2);
        self.found = [self.found, found].into_iter().flatten().min();
    }

    /// Notes that a process has this name. Returns whether this says that perf started a program, and
    /// which process that is, once it has become the program. Only a command line with `--` says
    /// whether there is one; `sleep` only says how long to record.
    pub(super) fn note_start(&mut self, pid: u32, name: &[u8]) -> Option<Option<u32>> {
        let dashes = self.words.iter().position(|word| word == b"--")?;
        let program = self.words.get(dashes + 1).filter(|word| base_name(word) != b"sleep")?;
        if name == FORKED {
            self.forked.insert(pid);
            return self.started.is_none().then_some(None);
        }
        let is_it = self.forked.remove(&pid) && is_name_of(name, program);
        if self.started.is_some() || !is_it {
            return None;
        }
        self.started = Some(pid);
        Some(self.started)
    }

    /// Whether perf recorded processes that ran already: `-p 12`, `--tid=13`.
    pub(super) fn is_running_process(&self) -> bool {
        let is_it = |word: &Vec<u8>| {
            let long = [&b"--pid"[..], b"--tid"].iter().any(|it| word.starts_with(it));
            long || word.starts_with(b"-p") || word.starts_with(b"-t")
        };
        self.words[..self.found.unwrap_or(self.words.len()).min(self.words.len())].iter().any(is_it)
    }

    /// Notes whether a sample was counted in the program that perf started.
    pub(super) fn note_sample(&mut self, is_of_started_program: bool) {
        self.has_others |= !is_of_started_program;
    }

    /// Whether perf was asked for buffers of at least 16 MiB for each processor: `-m 64M`,
    /// `-m4096`, `--mmap-pages=4096`, in pages or with a unit.
    pub(super) fn has_large_buffers(&self) -> bool {
        const LARGE: u64 = 16 << 20;
        const PAGE: u64 = 4096;
        let words = &self.words[..self.found.unwrap_or(self.words.len()).min(self.words.len())];
        let mut sizes = words.iter().enumerate().filter_map(|(at, word)| {
            let value =
                [&b"--mmap-pages"[..], b"-m"].iter().find_map(|it| word.strip_prefix(*it))?;
            let value = value.strip_prefix(b"=").unwrap_or(value);
            if value.is_empty() { words.get(at + 1).map(Vec::as_slice) } else { Some(value) }
        });
        let bytes = |size: &[u8]| {
            let digits = size.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let unit = match size.get(digits) {
                None | Some(b',') => PAGE,
                Some(b'B') => 1,
                Some(b'K') => 1 << 10,
                Some(b'M') => 1 << 20,
                Some(b'G') => 1 << 30,
                Some(_) => return None,
            };
            decimal(&size[..digits])?.checked_mul(unit)
        };
        sizes.next_back().and_then(bytes).is_some_and(|bytes| bytes >= LARGE)
    }

    /// The name of the program, if it alone was recorded.
    pub(super) fn name(&self) -> Option<Vec<u8>> {
        let found = self.found.filter(|_| !self.has_others)?;
        self.words.get(found).map(|word| base_name(word).to_vec())
    }
}

/// Whether a process that runs the program at this path has this name.
fn is_name_of(name: &[u8], path: &[u8]) -> bool {
    let word = base_name(path);
    word[..word.len().min(15)] == *name
}

fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_large_from_16_mib_on() {
        for (command, expected) in [
            ("perf record -m 64M -- app", true),
            ("perf record -m 262144K app", true),
            ("perf record -m4096 app", true),
            ("perf record --mmap-pages=4096,1 app", true),
            ("perf record --mmap-pages 4096 app", true),
            ("perf record -m 64M -m 1M app", false),
            ("perf record -m 1024 app", false),
            ("perf record app", false),
            ("perf record -- app -m 64M", false),
            ("perf record -m", false),
            ("perf record -m x", false),
        ] {
            let mut program = Program::default();
            let words: Vec<&[u8]> = command.split_whitespace().map(str::as_bytes).collect();
            program.set_command(&words);
            program.note_process(b"app");
            assert_eq!(program.has_large_buffers(), expected, "{command}");
        }
    }

    fn name(command: &str, processes: &[&str], is_of_started_program: bool) -> Option<String> {
        let mut program = Program::default();
        let words: Vec<&[u8]> = command.split_whitespace().map(str::as_bytes).collect();
        program.set_command(&words);
        processes.iter().for_each(|name| program.note_process(name.as_bytes()));
        program.note_sample(is_of_started_program);
        program.name().map(|name| String::from_utf8(name).expect("UTF-8"))
    }

    #[test]
    fn the_program_follows_the_dashes_or_is_the_first_word_that_is_a_process() {
        for (command, processes, expected) in [
            ("perf record -g -- ./dir/app -x", &["app"][..], Some("app")),
            ("perf record -F 99 -g ./app sub", &["perf-exec", "sub", "app"], Some("app")),
            ("perf record /opt/a-very-long-name", &["a-very-long-nam"], Some("a-very-long-name")),
            ("perf record -p 12", &["app"], None),
            ("perf record -g", &["perf", "", "record"], None),
        ] {
            assert_eq!(name(command, processes, true).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn the_process_that_perf_started_is_the_one_that_becomes_the_program() {
        let started = |command: &str| {
            let mut program = Program::default();
            let words: Vec<&[u8]> = command.split_whitespace().map(str::as_bytes).collect();
            program.set_command(&words);
            let names = [
                (7, "perf-exec"),
                (8, "perf-exec"),
                (9, "app"),
                (7, "other"),
                (8, "app"),
                (8, "x"),
            ];
            let started = names.map(|(pid, name)| program.note_start(pid, name.as_bytes()));
            started.into_iter().flatten().collect::<Vec<_>>()
        };
        assert_eq!(started("perf record -a -- ./dir/app -x"), [None, None, Some(8)]);
        assert_eq!(started("perf record -a -- none"), [None, None]);
        assert_eq!(started("perf record -a ./app"), []);
        assert_eq!(started("perf record -a -- sleep 1"), []);
    }

    #[test]
    fn a_recording_of_all_programs_is_not_of_the_one_that_was_started() {
        assert_eq!(name("perf record -a -- sleep 10", &["sleep"], false), None);
    }
}
