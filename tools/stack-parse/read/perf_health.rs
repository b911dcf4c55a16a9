//! What is wrong with a recording of perf, seen from its stacks: one line each, with
//! the share of the weight and the remedy.

use common::pipe::Pipe;

use crate::read::runtimes::{self, RUNTIMES};
use crate::samples::{CallChains, Recorded};

/// Fewer samples prove nothing.
const FEWEST_SAMPLES: u128 = 20;

/// The most frames of a stack that perf and the kernel record by default.
const FRAME_LIMIT: u32 = 127;

/// The weights of the stacks with each kind of problem.
#[derive(Debug, Default)]
struct Health {
    total: u128,
    /// More than half of the frames have no name, and none was compiled at run time.
    unknown: u128,
    /// Some frame was compiled at run time and has no name.
    jit: u128,
    /// Of these, those in which a runtime of [`RUNTIMES`] is seen.
    runtimes: [u128; RUNTIMES.len()],
    /// With exactly as many addresses as the limit, or possibly so: inlined functions have no
    /// address.
    at_limit: u128,
    beyond_limit: bool,
    /// With exactly one frame of a program.
    one_of_program: u128,
    /// With any frame of a program.
    of_program: u128,
    /// With a root in OCaml 5's runtime, where the stack must have been cut.
    cut_ocaml: u128,
    /// In the interpreter of OCaml's bytecode.
    bytecode: u128,
    /// Deeper than one frame.
    chained: u128,
}

/// Notes what is wrong with the stacks.
pub(crate) fn advise(recorded: &Recorded<'_>, pipe: &mut Pipe) {
    if recorded.samples < FEWEST_SAMPLES {
        return;
    }
    let health = examine(recorded);
    if health.total == 0 {
        return;
    }
    let chains = recorded.chains;
    advise_bytecode(&health, pipe);
    if health.chained == 0 && chains == CallChains::None {
        pipe.note("no sample has a call chain: record with 'perf record -g'");
        return;
    }
    advise_callers(&health, chains, pipe);
    let unknown = unknown_remedy(chains);
    let unknown = unknown.map(|remedy| format!("of mostly unknown functions{remedy}"));
    let jit = format!(
        "with unknown functions that were compiled at run time: perf reads their names from \
         /tmp/perf-PID.map; {}",
        health.jit_remedy()
    );
    let limit = limit_remedy(chains);
    let limit = format!("cut at {FRAME_LIMIT} frames, which lack their roots: {limit}");
    // Of a perf.data itself, each file without names is reported with what helps.
    let perf_named_them = chains == CallChains::Printed;
    let may_be_cut = chains != CallChains::Others && !health.beyond_limit;
    let ocaml = "cut at OCaml's runtime: OCaml 5 has stacks of its own, which --call-graph dwarf \
                 misses; use a compiler with frame pointers and 'perf record -g'";
    for (weight, least, what) in [
        (health.unknown, 10.0, unknown),
        (health.jit, 10.0, Some(jit).filter(|_| perf_named_them)),
        (health.at_limit, 0.1, Some(limit).filter(|_| may_be_cut)),
        (health.cut_ocaml, 5.0, Some(ocaml.to_owned())),
    ] {
        let share = percent(weight, health.total);
        if let Some(what) = what.filter(|_| share >= least) {
            pipe.note(format_args!("{share:.1} % of the weight is in stacks {what}"));
        }
    }
}

fn percent(part: u128, all: u128) -> f64 {
    100.0 * part as f64 / all as f64
}

/// Notes if a program runs in the interpreter of OCaml.
fn advise_bytecode(health: &Health, pipe: &mut Pipe) {
    if health.bytecode * 2 > health.total {
        let share = percent(health.bytecode, health.total);
        pipe.note(format_args!(
            "the program is bytecode of OCaml: {share:.1} % of the weight is in its interpreter, \
             where functions have no names; compile it with ocamlopt"
        ));
    }
}

/// Notes if frame pointers are missing: then a chain has only the function that was running.
fn advise_callers(health: &Health, chains: CallChains, pipe: &mut Pipe) {
    let may_lack_callers = matches!(chains, CallChains::Printed | CallChains::FramePointers);
    if may_lack_callers && health.one_of_program * 2 >= health.of_program.max(1) {
        let share = percent(health.one_of_program, health.of_program);
        pipe.note(format_args!(
            "{share:.1} % of the weight in programs has one function of the program and no \
             caller, though call chains were recorded: {}",
            no_callers_remedy(chains)
        ));
    }
}

/// The remedy for functions without names. Of a perf.data itself, each file without symbols is
/// reported with its own; addresses outside all files are no code where frame pointers led to them.
fn unknown_remedy(chains: CallChains) -> Option<&'static str> {
    match chains {
        CallChains::FramePointers => Some(
            ", at addresses in no file: frame pointers are not kept everywhere; record with \
             --call-graph dwarf",
        ),
        CallChains::Others => None,
        CallChains::None | CallChains::Printed => {
            Some(": install debug symbols, or record with frame pointers or --call-graph dwarf")
        }
    }
}

/// The remedy for missing callers.
fn no_callers_remedy(chains: CallChains) -> &'static str {
    match chains {
        CallChains::FramePointers => {
            "it keeps no frame pointers; record with --call-graph dwarf, or compile it with \
             -fno-omit-frame-pointer"
        }
        _ => {
            "if recorded with -g, the program keeps no frame pointers: record with --call-graph \
             dwarf; if recorded with that, run stack-parse on the perf.data itself"
        }
    }
}

/// The remedy for missing roots.
fn limit_remedy(chains: CallChains) -> &'static str {
    match chains {
        CallChains::FramePointers => {
            "raise kernel.perf_event_max_stack to record\
             , or put recursion together with 'stack-fold-towers --reattach', as stack-flame does"
        }
        _ => "use 'perf script --max-stack 2048', and raise kernel.perf_event_max_stack to record",
    }
}

impl Health {
    /// Adds a stack whose call chain has `chain` frames.
    fn add(&mut self, seen: &Seen, chain: u32, weight: u128) {
        if weight == 0 {
            return;
        }
        let weight_if = |condition: bool| if condition { weight } else { 0 };
        self.total += weight;
        self.unknown += weight_if(seen.unknown * 2 > chain && !seen.jit);
        self.jit += weight_if(seen.jit);
        if let (true, Some(runtime)) = (seen.jit, seen.runtime) {
            self.runtimes[usize::from(runtime)] += weight;
        }
        self.at_limit += weight_if((seen.fewest..=seen.most).contains(&FRAME_LIMIT));
        self.beyond_limit |= seen.fewest > FRAME_LIMIT;
        self.one_of_program += weight_if(seen.of_program == 1);
        self.of_program += weight_if(seen.of_program > 0);
        self.cut_ocaml += weight_if(seen.rooted);
        self.bytecode += weight_if(seen.bytecode);
        self.chained += weight_if(seen.most > 1);
    }

    /// The command that writes the names, if the stacks show a known runtime.
    fn jit_remedy(&self) -> String {
        let weights = self.runtimes.iter().zip(&RUNTIMES);
        match weights.max_by_key(|(weight, _)| **weight) {
            Some((weight, runtime)) if *weight > 0 => format!("run '{}'", runtime.remedy),
            _ => "use what its language has for this: stack-tools(7) says what".to_owned(),
        }
    }
}

/// A node of the tree together with its callers.
#[derive(Clone, Copy, Default)]
struct Seen {
    depth: u32,
    /// How many addresses the chain has at least and at most.
    fewest: u32,
    most: u32,
    /// How many frames are a program's.
    of_program: u32,
    unknown: u32,
    /// The root is the runtime of OCaml.
    rooted: bool,
    /// Some frame is the interpreter of OCaml's bytecode.
    bytecode: bool,
    /// Some frame was compiled at run time and has no name.
    jit: bool,
    /// The index in [`RUNTIMES`] of the one that is nearest to the leaf.
    runtime: Option<u8>,
}

/// What the name of a frame shows.
struct Named {
    is_unknown: bool,
    is_ocaml_runtime: bool,
    is_interpreter: bool,
    is_jit: bool,
    runtime: Option<u8>,
}

impl Named {
    fn new(name: &[u8], chains: CallChains) -> Named {
        Named {
            is_unknown: is_unknown(name, chains),
            is_ocaml_runtime: is_ocaml_runtime(name),
            is_interpreter: name == b"caml_interprete",
            is_jit: runtimes::is_nameless(name),
            runtime: (0u8..).zip(&RUNTIMES).find(|(_, it)| it.has(name)).map(|(at, _)| at),
        }
    }
}

fn examine(recorded: &Recorded<'_>) -> Health {
    let Recorded { tree, frames, traits, root_frames, chains, .. } = *recorded;
    let names: Vec<Named> =
        (0..frames.len() as u32).map(|id| Named::new(frames.name(id), chains)).collect();
    let mut health = Health::default();
    let mut seen = vec![Seen::default(); tree.len()];
    for node in 1..tree.len() as u32 {
        let (above, id) = (seen[tree.parent(node) as usize], tree.frame(node));
        let frame = &names[id as usize];
        let depth = above.depth + 1;
        let is_chain = depth > root_frames;
        let one_if = |condition: bool| u32::from(is_chain && condition);
        let this = Seen {
            depth,
            fewest: above.fewest + one_if(!traits.may_be_inlined(id)),
            most: above.most + one_if(!traits.is_inlined(id)),
            of_program: above.of_program + one_if(traits.is_called_by_program(id)),
            unknown: above.unknown + u32::from(is_chain && frame.is_unknown),
            rooted: above.rooted || depth == root_frames + 1 && frame.is_ocaml_runtime,
            bytecode: above.bytecode || is_chain && frame.is_interpreter,
            jit: above.jit || is_chain && frame.is_jit,
            runtime: frame.runtime.or(above.runtime),
        };
        seen[node as usize] = this;
        health.add(&this, depth.saturating_sub(root_frames), u128::from(tree.self_weight(node)));
    }
    health
}

/// `[unknown]`, `[libc.so.6]`; the names of the kernel and the vdso always look like this. What a
/// perf.data has in a file is reported with that file.
fn is_unknown(name: &[u8], chains: CallChains) -> bool {
    if chains == CallChains::FramePointers {
        return name == b"[unknown]";
    }
    let is_bare = matches!(name, [b'[', .., b']']);
    is_bare && !name.starts_with(b"[kernel.") && name != b"[vdso]" && name != b"[no stack]"
}

/// Where OCaml 5 switches from one of its own stacks to the system's.
fn is_ocaml_runtime(name: &[u8]) -> bool {
    matches!(name, b"caml_call_gc" | b"caml_start_program" | b"caml_c_call" | b"caml_runstack")
}
