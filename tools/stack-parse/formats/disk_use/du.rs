//! What `du -a` prints: the size of each file, and of each folder with all that is in it.
//!
//! ```text
//! 36⇥tree/a.bin
//! 400⇥tree/sub/big
//! 404⇥tree/sub
//! 444⇥tree
//! ```
//!
//! Names may hold line ends; with `du -a0` they are read exactly. Lines may be sorted. The size of
//! a file whose line is missing counts as its folder's own.

use std::collections::HashMap;
use std::slice::from_ref;

use common::{Result, io::Input, stacks::FrameId};

use super::order::{Order, order};
use super::sized::for_each_sized;
use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::bad_weights::note_bad_weights;
use crate::read::nodes::{self, Node, Totals};
use crate::read::paths::parts;
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::Sample;

pub(in crate::formats) const FORMAT: Format =
    Format::new("du", "Sizes of files and folders: du -a, du -ab0", detect, parse);

fn detect(head: &Head<'_>) -> bool {
    order(head) == Some(Order::FoldersLast)
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    samples.events.set_measures(&[Measure { name: b"", unit: b"" }]);
    let mut tree = Tree::default();
    let read = for_each_sized(input, samples, |size, path, samples| {
        tree.add(size, path, samples);
        Ok(())
    });
    tree.add_all(samples)?;
    read
}

/// The files and folders that were listed, and the folders they are in.
#[derive(Default)]
struct Tree {
    /// All of them, a folder before its contents.
    files: Vec<File>,
    /// The index of each in `files`, by the index of its folder and its name.
    numbers: HashMap<(Option<u32>, FrameId), u32>,
    /// How many sizes of paths that are listed twice do not fit into 64 bits when added.
    bad_weights: u64,
}

struct File {
    name: FrameId,
    folder: Option<u32>,
    /// `None` if it was not listed itself.
    total: Option<u64>,
    /// Whether something is in it.
    is_folder: bool,
}

impl Tree {
    fn add(&mut self, size: u64, path: &[u8], samples: &mut Samples<'_>) {
        let mut last = None;
        for part in parts(path) {
            let name = samples.frame(part);
            let next = self.files.len() as u32;
            let number = *self.numbers.entry((last, name)).or_insert(next);
            if number == next {
                self.files.push(File { name, folder: last, total: None, is_folder: false });
                if let Some(folder) = last {
                    self.files[folder as usize].is_folder = true;
                }
            }
            last = Some(number);
        }
        // A path is listed twice where several lists were put together.
        if let Some(number) = last {
            let total = &mut self.files[number as usize].total;
            match total.unwrap_or(0).checked_add(size) {
                Some(sum) => *total = Some(sum),
                None => self.bad_weights += 1,
            }
        }
    }

    fn add_all(mut self, samples: &mut Samples<'_>) -> Result<()> {
        note_bad_weights(self.bad_weights, samples);
        self.leave_out_sum(samples);
        let totals = self.files.iter().map(|file| (file.total, file.folder));
        let Totals { own, excess } = nodes::own_weights(totals);
        let node = |number: usize| {
            let File { name, folder, .. } = &self.files[number];
            Node { frames: from_ref(name), own: from_ref(&own[number]), parent: *folder }
        };
        nodes::add(self.files.len(), 0, node, &Sample::default(), samples)?;
        if excess > 0 {
            samples.note(format_args!(
                "files weigh {excess} more than their folders, all of it is counted: due to rounded \
                 sizes ('du -ab' is exact), hard links, or files that changed"
            ));
        }
        Ok(())
    }

    /// Leaves out the line `total` that `du -c` adds.
    fn leave_out_sum(&mut self, samples: &mut Samples<'_>) {
        let total = samples.frame(b"total");
        let Some(&sum) = self.numbers.get(&(None, total)) else { return };
        let tops = self.files.iter().enumerate().filter(|(_, file)| file.folder.is_none());
        let others = tops.filter(|(number, _)| *number != sum as usize);
        let weights = others.map(|(_, file)| u128::from(file.total.unwrap_or_default()));
        let others: u128 = weights.sum();
        let file = &mut self.files[sum as usize];
        let is_sum = file.total.is_some_and(|total| total > 0 && u128::from(total) == others);
        if is_sum && !file.is_folder {
            file.total = None;
            samples.note("the line 'total' is the sum of all others, it is left out");
        }
    }
}
