//! Memory that was never freed, as valgrind's memcheck and LeakSanitizer report it.

use std::fmt;

use common::Result;

use super::leaf_first::LeafFirst;
use super::own_labels::{OwnLabels, with_labels};
use crate::samples::Samples;
use crate::samples::events::Measure;
use crate::samples::sample::{Sample, known};

/// The measures of a leak.
pub(crate) const LEAKS: [Measure<'static>; 2] =
    [Measure { name: b"bytes", unit: b"bytes" }, Measure { name: b"blocks", unit: b"blocks" }];

/// An amount of memory, in bytes and blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
}

impl Amount {
    pub(crate) fn is_none(self) -> bool {
        self == Amount::default()
    }

    /// Adds another amount; a sum over 64 bits becomes the largest number.
    pub(crate) fn add(&mut self, more: Amount) {
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.blocks = self.blocks.saturating_add(more.blocks);
    }

    /// This amount less another one, but never below 0.
    pub(crate) fn without(self, less: Amount) -> Amount {
        let bytes = self.bytes.saturating_sub(less.bytes);
        Amount { bytes, blocks: self.blocks.saturating_sub(less.blocks) }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes in {} blocks", self.bytes, self.blocks)
    }
}

/// Adds a leak of a process, with the label `kind`.
pub(crate) fn add(
    amount: Amount,
    kind: &str,
    pid: &[u8],
    stack: &mut LeafFirst,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let mut labels = OwnLabels::default();
    if samples.wants.labels() {
        labels.add("leaks", b"kind", kind.as_bytes());
    }
    let weights = &[amount.bytes, amount.blocks];
    let labels = labels.list();
    let sample = Sample { pid: known(pid), weights, ..Sample::default() };
    stack.add(&with_labels(sample, &labels), samples)
}
