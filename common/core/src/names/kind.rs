//! What kind of code a frame is, and the colour for it.

mod argument;
mod plumbing;
mod rules;

use std::borrow::Cow;
use std::collections::HashSet;

use bstr::ByteSlice;

use self::plumbing::is_plumbing;
use self::rules::{FILES, Rules};
use super::{FrameParts, cpp, module, normalize, rust, script_of, short::is_std_type};
use crate::folded::ThreadState;

/// What kind of code a frame is, as far as its marks, its place and its name show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeKind {
    /// What the program's author wrote.
    Own,
    /// What others wrote: a shared library, a package, the standard library.
    Library,
    /// `caml_alloc_shr`, `runtime.mallocgc`, `[GC]`: what the runtime of a language does by itself.
    Runtime,
    /// `do_syscall_64_[k]`.
    Kernel,
    /// `[unknown]`, `[libc.so.6]`: no name was found.
    Nameless,
    /// Nothing shows whose code it is.
    Unknown,
    /// `[waiting]`, `[waiting or runnable]`: no code, but a thread that does not run.
    Waiting,
    /// `[runnable]`: a thread that could run and has no processor.
    Runnable,
}

impl CodeKind {
    /// The name in the legend.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            CodeKind::Own => "own code",
            CodeKind::Library => "library",
            CodeKind::Runtime => "runtime",
            CodeKind::Kernel => "kernel",
            CodeKind::Nameless => "no symbol",
            CodeKind::Unknown => "unknown",
            CodeKind::Waiting => "waiting",
            CodeKind::Runnable => "runnable",
        }
    }

    /// The two ends of the kind's shades, all light enough for black letters.
    #[must_use]
    pub fn shades(self) -> [[u8; 3]; 2] {
        match self {
            CodeKind::Own => [[255, 226, 168], [238, 142, 58]],
            CodeKind::Library => [[200, 223, 246], [108, 154, 208]],
            CodeKind::Runtime => [[188, 232, 220], [84, 170, 153]],
            CodeKind::Kernel => [[229, 211, 243], [162, 127, 196]],
            CodeKind::Nameless => [[228, 228, 228], [190, 190, 190]],
            CodeKind::Unknown => [[250, 240, 190], [226, 208, 130]],
            CodeKind::Waiting => [[246, 247, 244], [236, 239, 233]],
            CodeKind::Runnable => [[255, 222, 226], [244, 190, 198]],
        }
    }

    /// The colour of a frame of this kind as red, green and blue: the hue shows the kind of code,
    /// the shade makes neighbours differ; what was inlined is paler, and what only starts programs
    /// and threads the palest.
    #[must_use]
    pub fn color(self, frame: &[u8]) -> [u8; 3] {
        let [light, dark] = self.shades();
        let parts = FrameParts::of(frame);
        let (depth, is_inlined) = (name_hash(parts.name), parts.has_mark(b'i'));
        let is_plumbing = is_plumbing(parts.name);
        std::array::from_fn(|index| {
            let (light, dark) = (u32::from(light[index]), u32::from(dark[index]));
            let shade = (light * (255 - depth) + dark * depth) / 255;
            let paler = match (is_plumbing, is_inlined) {
                (true, _) => (light + 3 * 244) / 4,
                (false, true) => (shade + 255) / 2,
                (false, false) => shade,
            };
            paler as u8
        })
    }

    /// What the name of a function alone shows, mangled or not: [`CodeKind::Unknown`] if rules know it
    /// in profiles of one language only, `None` if no rule knows it.
    #[must_use]
    pub fn of_name(name: &[u8]) -> Option<CodeKind> {
        CodeKind::of_name_beside(name, b"")
    }

    /// Like [`of_name`](CodeKind::of_name), for a name in a file that has this other function, too,
    /// which may show its language.
    #[must_use]
    pub fn of_name_beside(name: &[u8], other: &[u8]) -> Option<CodeKind> {
        let name = readable(name);
        let is_telling = |rules: &&Rules| rules.are_telling() || rules.is_for(other);
        let telling = FILES.iter().filter(is_telling);
        let others = FILES.iter().filter(|rules| !is_telling(rules));
        of_name_by(telling, &name).or_else(|| of_name_by(others, &name).map(|_| CodeKind::Unknown))
    }

    /// What a thread in this state has in place of code; `None` if it runs, or if nobody knows.
    #[must_use]
    pub fn of_state(state: ThreadState) -> Option<CodeKind> {
        match state {
            ThreadState::Waiting | ThreadState::WaitingOrRunnable => Some(CodeKind::Waiting),
            ThreadState::Runnable => Some(CodeKind::Runnable),
            ThreadState::Running | ThreadState::NotRecorded => None,
        }
    }

    /// Whose code is at this place, such as `/src/demo.c:14`, if a rule knows its path.
    #[must_use]
    pub fn of_place(place: &[u8]) -> Option<CodeKind> {
        FILES.iter().find_map(|rules| rules.of_place(place))
    }
}

/// The kinds of the frames of one profile, in their order. The whole profile shows what a single
/// frame does not: the language, the crate of `main`, and whether libraries are marked.
#[must_use]
pub fn code_kinds<'a>(frames: impl Iterator<Item = &'a [u8]>) -> Vec<CodeKind> {
    let frames: Vec<Frame<'a>> = frames.map(Frame::of).collect();
    let profile = Profile::of(&frames);
    frames.iter().map(|frame| profile.kind_of(frame)).collect()
}

/// The kind of a frame that says what a thread does, if it is one of those that have a colour.
fn state_of_thread(name: &[u8]) -> Option<CodeKind> {
    let state = ThreadState::ALL.into_iter().find(|it| it.frame().as_bytes() == name)?;
    CodeKind::of_state(state)
}

/// A frame, and its name in the form that the rules use.
struct Frame<'a> {
    parts: FrameParts<'a>,
    name: Cow<'a, [u8]>,
}

impl<'a> Frame<'a> {
    fn of(frame: &'a [u8]) -> Frame<'a> {
        let parts = FrameParts::of(frame);
        Frame { parts, name: readable(parts.name) }
    }
}

/// What the frames of a profile show together.
struct Profile {
    rules: Vec<&'static Rules>,
    /// The crates of Rust with a `main`, if any.
    own_crates: HashSet<Vec<u8>>,
    /// Whether own code is marked, so that nothing else is own.
    marks_own: bool,
    /// Whether there are other marks only, as older writers have them: a frame without one is then
    /// not a library's.
    has_marks: bool,
}

impl Profile {
    fn of(frames: &[Frame<'_>]) -> Profile {
        let is_wanted = |rules: &&Rules| {
            !rules.has_conditions() || frames.iter().any(|frame| rules.is_for(&frame.name))
        };
        let crates = frames.iter().filter_map(|frame| frame.name.strip_suffix(b"::main"));
        Profile {
            rules: FILES.iter().filter(is_wanted).collect(),
            own_crates: crates.filter(|it| is_word(it)).map(<[u8]>::to_vec).collect(),
            marks_own: frames.iter().any(|frame| frame.parts.has_mark(b'o')),
            has_marks: frames.iter().any(|frame| !frame.parts.marks.is_empty()),
        }
    }

    fn kind_of(&self, Frame { parts, name }: &Frame<'_>) -> CodeKind {
        if parts.has_mark(b'k') {
            return CodeKind::Kernel;
        }
        if parts.has_mark(b'o') {
            return CodeKind::Own;
        }
        let by_name = self.of_name(name);
        if by_name == Some(CodeKind::Runtime) {
            return CodeKind::Runtime;
        }
        if matches!(&**name, [] | [b'[', .., b']']) {
            return state_of_thread(name).unwrap_or(CodeKind::Nameless);
        }
        if parts.has_mark(b'l') {
            return CodeKind::Library;
        }
        let place = if parts.place.is_empty() { script_of(name) } else { parts.place };
        let by_place = self.rules.iter().find_map(|rules| rules.of_place(place));
        // An absolute path that no rule knows is the program's; a relative one may be anyone's.
        let is_whole = place.starts_with(b"/") || place.starts_with(b"file://");
        let by_rules = by_place.or(is_whole.then_some(CodeKind::Own)).or(by_name);
        let is_told = self.has_marks || !place.is_empty();
        match by_rules {
            Some(CodeKind::Own) | None if self.marks_own => CodeKind::Unknown,
            None if is_told && !self.is_of_other_crate(name) => CodeKind::Own,
            by_rules => by_rules.unwrap_or(CodeKind::Unknown),
        }
    }

    /// What the rules say of a name.
    fn of_name(&self, name: &[u8]) -> Option<CodeKind> {
        of_name_by(self.rules.iter().copied(), name)
    }

    /// Whether this is a function of a crate of Rust without a `main`, in a profile with one.
    fn is_of_other_crate(&self, name: &[u8]) -> bool {
        let crate_name = crate_of(name);
        !self.own_crates.is_empty()
            && is_word(crate_name)
            && name.contains_str("::")
            && !self.own_crates.contains(crate_name)
    }
}

/// The crate of a function of Rust: `app` of `<app::Tree as core::ops::Drop>::drop`.
#[must_use]
pub fn crate_of(name: &[u8]) -> &[u8] {
    let module = module(name);
    &module[..module.find_byte(b':').unwrap_or(module.len())]
}

/// What rules say of a name, or else of the type or module that it belongs to, where that is not how
/// the name begins: `<std::fs::File as core::Read>::read`, `void std::sort<int>()`.
fn of_name_by<'r>(rules: impl Iterator<Item = &'r Rules> + Clone, name: &[u8]) -> Option<CodeKind> {
    let find = |name: &[u8]| rules.clone().find_map(|rules| rules.of_name(name));
    find(name).or_else(|| {
        let start = &name[..name.find("::")?];
        let module = start.find_byteset(b"< `!").map(|_| module(name))?;
        // `<Vec<u8> as FromIterator<u8>>::from_iter`
        let is_of_std = name.starts_with(b"<") && is_std_type(module);
        if is_of_std { Some(CodeKind::Library) } else { find(&[module, b"::"].concat()) }
    })
}

/// A symbol of Rust or C++ as its author wrote it, without what compilers append to copies; other
/// names as they are.
fn readable(name: &[u8]) -> Cow<'_, [u8]> {
    let mut readable = Vec::new();
    let is_mangled = name.starts_with(b"_Z") || name.starts_with(b"_R");
    if is_mangled && (rust::demangle(name, &mut readable) || cpp::demangle(name, &mut readable)) {
        return readable.into();
    }
    let mut name = Cow::Borrowed(name);
    if name.contains(&b'.') {
        normalize(name.to_mut());
    }
    name
}

fn is_word(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// FNV-1a, folded down to 0..=255: the same on every machine and in every version of this tool.
#[must_use]
pub fn name_hash(name: &[u8]) -> u32 {
    let hash = name
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 8 ^ hash >> 16 ^ hash >> 24) & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(profile: &[&str], frame: &str) -> CodeKind {
        let frames = [&[frame], profile].concat();
        code_kinds(frames.iter().map(|frame| frame.as_bytes()))[0]
    }

    #[test]
    fn kinds_of_a_profile_with_marks() {
        for (frame, expected) in [
            ("main_[o]", CodeKind::Own),
            ("Queens.solve_[o]_[i]", CodeKind::Own),
            ("std::sort_[o]", CodeKind::Own),
            ("main", CodeKind::Unknown),
            ("Queens.solve", CodeKind::Unknown),
            ("memcpy_[l]", CodeKind::Library),
            ("helper_[l]_[i]", CodeKind::Library),
            ("void std::__introsort_loop<int*>(int*, int*)", CodeKind::Library),
            ("_ZNSt6vectorIiSaIiEE9push_backEi", CodeKind::Library),
            ("operator new(unsigned long)", CodeKind::Library),
            ("alloc::vec::Vec<T>::push", CodeKind::Library),
            ("<Foo.Bar as core::Clone>::clone_[i]", CodeKind::Unknown),
            ("<[T] as core::slice::Join<U>>::join", CodeKind::Library),
            ("<[T] as Join<U>>::join", CodeKind::Library),
            ("<Vec<u8> as FromIterator<u8>>::from_iter_[i]", CodeKind::Library),
            ("<&mut Vec<app::T>>::push", CodeKind::Library),
            ("<app::Vec as Clone>::clone", CodeKind::Unknown),
            ("std::sort<int*>(int*, int*)", CodeKind::Library),
            ("sort (/usr/include/c++/12/bits/stl_algo.h:12)_[i]", CodeKind::Library),
            ("f (/home/x/.cargo/registry/src/index/regex-1/src/lib.rs:3)", CodeKind::Library),
            ("Stdlib.List.map", CodeKind::Library),
            ("camlStdlib__List__map_12", CodeKind::Library),
            ("java.util.Arrays.sort_[j]", CodeKind::Library),
            ("Ljava/util/Arrays;::sort_[j]", CodeKind::Library),
            ("Bank.main_[o]_[j]", CodeKind::Own),
            ("JS:*f /app/node_modules/x/y.js:1:2_[j]", CodeKind::Library),
            ("JS:*f /app/y.js:1:2_[o]_[j]", CodeKind::Own),
            ("caml_alloc_small_dispatch", CodeKind::Runtime),
            ("[GC]", CodeKind::Runtime),
            ("v8::internal::Heap::Scavenge()", CodeKind::Runtime),
            ("caml_page_fault_[k]", CodeKind::Kernel),
            ("[libc.so.6]_[l]", CodeKind::Nameless),
            ("", CodeKind::Nameless),
        ] {
            assert_eq!(kind(&["read_[k]", "f_[o]"], frame), expected, "{frame}");
        }
    }

    #[test]
    fn marks_of_older_writers_show_what_is_no_library() {
        assert_eq!(kind(&["read_[k]"], "main"), CodeKind::Own);
        assert_eq!(kind(&["read_[k]"], "std::sort"), CodeKind::Library);
        assert_eq!(kind(&["app::main", "read_[k]"], "app::index::build"), CodeKind::Own);
        assert_eq!(kind(&["app::main", "read_[k]"], "other::find"), CodeKind::Unknown);
    }

    #[test]
    fn without_marks_and_places_only_rules_tell() {
        for (frame, expected) in [
            ("main", CodeKind::Unknown),
            ("Queens.solve", CodeKind::Unknown),
            ("std::sort", CodeKind::Library),
            ("main (main.py:3)", CodeKind::Own),
            ("get (requests/api.py:3)", CodeKind::Unknown),
            ("loads (json/__init__.py:3)", CodeKind::Library),
            ("f (/usr/lib/python3/dist-packages/yaml/__init__.py:3)", CodeKind::Library),
        ] {
            assert_eq!(kind(&[], frame), expected, "{frame}");
        }
    }

    #[test]
    fn the_profile_says_which_language_and_which_crate_it_is_of() {
        assert_eq!(kind(&["app::main"], "app::index::build (src/a.rs:3)"), CodeKind::Own);
        assert_eq!(kind(&["app::main"], "other::Tree::find (src/re.rs:3)"), CodeKind::Unknown);
        assert_eq!(kind(&[], "time.go"), CodeKind::Unknown);
        for (frame, expected) in [
            ("time.Now", CodeKind::Library),
            ("net/http.(*conn).serve", CodeKind::Library),
            ("main.day (day.go:3)", CodeKind::Own),
            ("runtime.mallocgc", CodeKind::Runtime),
            ("github.com/a/b.(*T).Close", CodeKind::Unknown),
        ] {
            assert_eq!(kind(&["runtime.main"], frame), expected, "{frame}");
        }
    }

    #[test]
    fn shades_lie_between_the_ends() {
        for number in 0..1000 {
            let frame = format!("f{number}");
            let color = CodeKind::Unknown.color(frame.as_bytes());
            let [light, dark] = CodeKind::Unknown.shades();
            assert!((dark[0]..=light[0]).contains(&color[0]), "{number}: {color:?}");
        }
    }

    #[test]
    fn what_starts_programs_and_threads_is_pale() {
        for name in [
            "_start",
            "__libc_start_main@@GLIBC_2.34",
            "clone3 (clone3.S:81)_[l]",
            "std::rt::lang_start::{{closure}} (rt.rs:206)",
            "<Thread>::new::thread_start",
        ] {
            let color = CodeKind::Library.color(name.as_bytes());
            assert!(color.iter().all(|part| *part > 230), "{name} {color:?}");
        }
        let color = CodeKind::Own.color(b"start_work");
        assert!(color[2] < 170, "{color:?}");
    }

    #[test]
    fn an_inlined_frame_is_a_paler_one_of_the_same_name() {
        let [plain, inlined] =
            [&b"std::sort"[..], b"std::sort_[i]"].map(|frame| CodeKind::Library.color(frame));
        assert!(inlined.iter().zip(plain).all(|(inlined, plain)| *inlined > plain));
    }
}
