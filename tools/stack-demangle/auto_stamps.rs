//! `--stamps auto`: keeps stamps only where names would be ambiguous.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use common::folded::{FoldedLine, Labels, StackBuf, clean_frame};
use common::pipe::{Comments, Pipe};
use common::stacks::{FrameId, FrameTable, NodeId, StackTree};
use common::{Result, io::Files, names::ocaml::Stamps};

/// All lines of the input in their order; each distinct stack is stored once.
#[derive(Default)]
struct HeldLines {
    frames: FrameTable,
    tree: StackTree,
    labels: FrameTable,
    lines: Vec<HeldLine>,
}

/// A line: the numbers of its labels and of its stack.
struct HeldLine {
    labels: FrameId,
    leaf: NodeId,
    count: u64,
}

/// Renames all frames with `rename`, which appends a frame's name to a buffer with or without its
/// stamp. A stamp is kept if two different names of this input would be the same without it. Passes
/// each line, unchanged, to `see`.
pub(crate) fn filter(
    files: &Files,
    pipe: &mut Pipe,
    see: impl Fn(&FoldedLine),
    rename: impl Fn(&[u8], Stamps, &mut Vec<u8>),
) -> Result<()> {
    let mut held = HeldLines::default();
    pipe.lines(files).comments(Comments::PassWithoutEnds).each(|line, _| {
        see(&line);
        held.add(&line);
        Ok(())
    })?;
    let names = unstamped_where_clear(&held.frames, rename);
    held.write(&names, pipe)
}

impl HeldLines {
    fn add(&mut self, line: &FoldedLine) {
        let leaf = self.tree.stack(&mut self.frames, line.stack);
        let labels = self.labels.intern(line.labels.as_bytes());
        self.lines.push(HeldLine { labels, leaf, count: line.count });
    }

    /// Writes all lines, with `names` in place of the frames.
    fn write(&self, names: &[Vec<u8>], pipe: &mut Pipe) -> Result<()> {
        let (mut before, mut after) = (StackBuf::default(), StackBuf::default());
        for &HeldLine { labels, leaf, count } in &self.lines {
            let path = self.tree.path(leaf);
            let frames = path.iter().map(|&node| self.tree.frame(node));
            before.set(frames.clone().map(|frame| self.frames.name(frame)));
            after.set(frames.map(|frame| &names[frame as usize][..]));
            let labels = Labels::of_text(self.labels.name(labels));
            pipe.replace(
                &FoldedLine { labels, stack: before.as_bytes(), count },
                after.as_bytes(),
            )?;
        }
        Ok(())
    }
}

/// The new name of each frame.
fn unstamped_where_clear(
    frames: &FrameTable,
    rename: impl Fn(&[u8], Stamps, &mut Vec<u8>),
) -> Vec<Vec<u8>> {
    let renamed = |stamps: Stamps| -> Vec<Vec<u8>> {
        let names = (0..frames.len() as u32).map(|id| {
            let mut name = Vec::new();
            rename(frames.name(id), stamps, &mut name);
            let mut clean = Vec::with_capacity(name.len());
            clean_frame(&name, &mut clean);
            clean
        });
        names.collect()
    };
    let (stamped, unstamped) = (renamed(Stamps::Keep), renamed(Stamps::Drop));
    // For each name without its stamp, the only name with its stamp, or `None` if
    // there are several.
    let mut meanings: HashMap<&[u8], Option<&[u8]>> = HashMap::new();
    for (short, long) in unstamped.iter().zip(&stamped) {
        match meanings.entry(short) {
            Entry::Vacant(entry) => drop(entry.insert(Some(long))),
            Entry::Occupied(mut entry) if *entry.get() != Some(long) => {
                entry.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }
    let clear: Vec<bool> = unstamped.iter().map(|short| meanings[&short[..]].is_some()).collect();
    let chosen = clear.into_iter().zip(unstamped).zip(stamped);
    chosen.map(|((clear, short), long)| if clear { short } else { long }).collect()
}
