//! The stacks that woke blocked threads: `--wakers`.
//!
//! `sched:sched_waking` is recorded where a thread is woken, with the stack of the waker. That
//! stack comes below the stack that waited, from its leaf to its root, so that the wait and its
//! waking meet in the middle, as in offwaketime of bcc.

use bstr::ByteSlice;
use common::stacks::{FrameId, FrameTable, NodeId, StackTree};

use crate::samples::root::Root;
use crate::samples::sample::{Context, Sample};
use crate::samples::sums::Sums;

/// The events that show which thread wakes which. The second comes later and maybe on another
/// processor, but old recordings have only that.
pub(super) const WAKINGS: [&str; 2] = ["sched:sched_waking", "sched:sched_wakeup"];

/// Adds to a wait the stack of its waker.
#[derive(Debug)]
pub(crate) struct Wakers {
    /// The frame between the stack that waited and the one that woke it.
    separator: FrameId,
    unknown: FrameId,
    interrupt: FrameId,
    idle: FrameId,
    /// How many waits have no known waker, and their length in nanoseconds.
    pub(super) without: (u64, u128),
}

impl Wakers {
    pub(crate) fn new(frames: &mut FrameTable) -> Wakers {
        let mut frame = |name: &str| frames.intern(name.as_bytes());
        Wakers {
            separator: frame("--"),
            unknown: frame("[unknown waker]"),
            interrupt: frame("[interrupt]"),
            idle: frame("[idle]"),
            without: (0, 0),
        }
    }

    /// The node of a wait without a known waker, below the stack that waited.
    pub(crate) fn unknown(&mut self, waited: NodeId, length: u64, tree: &mut StackTree) -> NodeId {
        self.without.0 += 1;
        self.without.1 += u128::from(length);
        let separator = tree.child(waited, self.separator);
        tree.child(separator, self.unknown)
    }

    /// The node of a wait: below the stack that waited come the frames of the waker, which are
    /// those from `leaf` up to `base` in the tree, and its name. The stack of an interrupt ends where
    /// it entered the kernel: the frames before that were only interrupted.
    pub(crate) fn below(
        &self,
        waited: NodeId,
        (base, leaf): (NodeId, NodeId),
        waker: FrameId,
        tree: &mut StackTree,
        frames: &FrameTable,
    ) -> NodeId {
        let entry = interrupt(base, leaf, tree, frames);
        let mut woken = tree.child(waited, self.separator);
        let mut node = leaf;
        while node != base {
            woken = tree.child(woken, tree.frame(node));
            if entry == Some(node) {
                break;
            }
            node = tree.parent(node);
        }
        tree.child(woken, if entry.is_some() { self.interrupt } else { waker })
    }

    /// The frame that names the waker, if its stack shows no interrupt: its root frame as `root` has
    /// it, or an interrupt or the idle task.
    pub(super) fn name(&self, origin: &Sample<'_>, root: &Root, sums: &mut Sums) -> FrameId {
        match origin.context {
            Context::Interrupt => return self.interrupt,
            Context::Idle => return self.idle,
            Context::Thread if origin.tid == Some(b"0") => return self.idle,
            Context::Thread => {}
        }
        match root {
            Root::Comm | Root::None | Root::Label(_) => sums.frame(origin.comm),
            Root::Pid | Root::Tid => {
                let mut name = Vec::new();
                root.push_name(origin, None, &mut name);
                sums.frames.intern(&name)
            }
        }
    }
}

/// The node where an interrupt entered the kernel, in the stack from `leaf` up to `base`.
pub(super) fn interrupt(
    base: NodeId,
    leaf: NodeId,
    tree: &StackTree,
    frames: &FrameTable,
) -> Option<NodeId> {
    // On x86-64 since Linux 5.8 and before; on AArch64 since 5.14 and before.
    const ENTRIES: [&str; 8] = [
        "asm_sysvec_",
        "asm_common_interrupt",
        "apic_timer_interrupt",
        "ret_from_intr",
        "el1h_64_irq",
        "el0t_64_irq",
        "el1_irq",
        "el0_irq",
    ];
    // What these call, where the entry itself is missing. `do_softirq` is not among them: a thread
    // that sends to this machine calls it, too.
    const HANDLERS: [&str; 5] =
        ["sysvec_", "common_interrupt", "__common_interrupt", "irq_exit", "do_IRQ"];
    let nodes = || {
        std::iter::successors(Some(leaf), |node| Some(tree.parent(*node)))
            .take_while(|node| *node != base)
    };
    let first = |names: &[&str]| {
        nodes().find(|node| {
            let frame = frames.name(tree.frame(*node));
            names.iter().any(|name| frame.starts_with(name.as_bytes()))
        })
    };
    first(&ENTRIES).or_else(|| first(&HANDLERS))
}

/// Whether an event shows which thread wakes which.
pub(super) fn is_waking(event: &[u8]) -> bool {
    WAKINGS.iter().any(|waking| waking.as_bytes() == event)
}

/// The id of the woken thread, from the text of a waking in both forms that recorders print:
/// `comm=a pid=1 prio=120 target_cpu=000`, `a:1 [120] success=1 CPU:000`.
pub(super) fn woken(text: &[u8]) -> Option<&[u8]> {
    let id = match text.rfind(" pid=") {
        Some(at) => &text[at + " pid=".len()..],
        None => text.rsplit_once_str(" [")?.0.rsplit_once_str(":")?.1,
    };
    let digits = id.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(&id[..digits])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shapes_of_a_waking_are_read() {
        for (text, tid) in [
            ("comm=a pid=1 prio=120 target_cpu=000", Some("1")),
            ("comm=x pid=7 y pid=22 prio=120 success=1 target_cpu=000", Some("22")),
            ("kworker/0:1:33 [120] success=1 CPU:000", Some("33")),
            ("my [x] thread:4 [120]<CANT FIND FIELD success> CPU:001", Some("4")),
            ("comm=a pid= prio=120", None),
            ("", None),
        ] {
            let found = woken(text.as_bytes()).map(|tid| tid.to_str_lossy().into_owned());
            assert_eq!(found.as_deref(), tid, "{text}");
        }
    }

    #[test]
    fn the_waker_stands_below_the_waiter_leaf_first() {
        let (mut frames, mut tree) = (FrameTable::default(), StackTree::default());
        let mut wakers = Wakers::new(&mut frames);
        let waker = frames.intern(b"b");
        let mut stack = |text: &str, tree: &mut StackTree| tree.stack(&mut frames, text.as_bytes());
        let waited = stack("a;main;read", &mut tree);
        let (base, leaf) = (stack("b", &mut tree), stack("b;main;write;wake", &mut tree));
        let timer = stack("b;main;asm_sysvec_apic_timer_interrupt_[k];tick;wake", &mut tree);
        let known = wakers.below(waited, (base, leaf), waker, &mut tree, &frames);
        let unknown = wakers.unknown(waited, 5, &mut tree);
        let bare = wakers.below(waited, (base, base), waker, &mut tree, &frames);
        let tick = wakers.below(waited, (base, timer), wakers.interrupt, &mut tree, &frames);
        let text = |node| {
            let mut text = Vec::new();
            tree.append_stack(node, 0, &frames, &mut text);
            String::from_utf8(text).expect("UTF-8")
        };
        assert_eq!(text(known), "a;main;read;--;wake;write;main;b");
        assert_eq!(text(unknown), "a;main;read;--;[unknown waker]");
        assert_eq!(text(bare), "a;main;read;--;b");
        let entered = "asm_sysvec_apic_timer_interrupt_[k]";
        assert_eq!(text(tick), format!("a;main;read;--;wake;tick;{entered};[interrupt]"));
        assert_eq!(wakers.without, (1, 5));
    }
}
