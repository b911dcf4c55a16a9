//! What the user asked for, as far as formats and the parts of [`Samples`](super::Samples) must
//! know it.

use common::{Error, Result, folded::LabelKeys};

use super::labels::LIFETIME;
use super::root::Root;
use super::weight::Weight;
use crate::frame::FrameArgs;

/// What the user asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wants {
    /// Whether samples are written as they come, so that a parser should not hold them back.
    pub(crate) at_once: bool,
    /// Whether samples are only counted, as the input's events or its spans are listed.
    pub(crate) list: bool,
    /// Whether spans are wanted, not samples.
    pub(crate) spans: bool,
    /// Whether the times between switches are wanted: then no switch may be missing.
    pub(crate) switches: bool,
    /// Whether what threads did all the time is wanted.
    pub(crate) wall: bool,
    /// Whether the wakers of threads are wanted.
    pub(crate) wakers: bool,
    /// The options for the names of frames.
    pub(crate) frames: FrameArgs,
    /// Whether options leave some times out.
    pub(super) is_bounded: bool,
    pub(super) asked_root: Option<Root>,
    /// The root frame of the input that is being read.
    pub(super) root: Root,
    pub(super) labels: LabelKeys,
    pub(super) weight: Weight,
    /// Whether events are root frames.
    pub(super) by_event: bool,
    pub(super) header: bool,
    pub(super) strict: bool,
    /// Whether lists are tables for programs.
    pub(super) tsv: bool,
}

impl Wants {
    /// Sets the root frame that this input gets unless the user asked for another.
    pub(super) fn set_default_root(&mut self, default: &Root) {
        self.root = self.asked_root.as_ref().unwrap_or(default).clone();
    }

    /// Whether lines have labels.
    pub(super) fn line_labels(&self) -> bool {
        !self.labels.is_none()
    }

    /// Whether the order of samples matters: they should come in the order of their times.
    pub(crate) fn order(&self) -> bool {
        self.times() || [&b"since"[..], b"time"].into_iter().any(|it| self.label(it))
    }

    /// Whether options select samples by their time, or need each sample by itself.
    pub(crate) fn times(&self) -> bool {
        self.at_once || self.is_bounded
    }

    /// Whether the value of this label is needed.
    pub(crate) fn label(&self, key: &[u8]) -> bool {
        self.labels.has(key) || matches!(&self.root, Root::Label(root) if root == key)
    }

    /// Whether any labels of samples are needed.
    pub(crate) fn labels(&self) -> bool {
        self.line_labels() || matches!(self.root, Root::Label(_))
    }

    /// Whether labels are needed that also give the thread or the time: for root frames, the slice
    /// of time or the columns of the table.
    pub(crate) fn origin(&self) -> bool {
        self.labels() || self.root != Root::None || self.times()
    }

    /// Whether samples of objects must wait until their lifetime is known.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the user asked for lifetimes by name, but lines are written at once.
    pub(crate) fn lifetimes(&self) -> Result<bool> {
        if !self.at_once {
            return Ok(self.label(LIFETIME));
        }
        if self.lifetime_by_name() {
            let what = "the label lifetime is known when an object is freed: \
                        --per-sample, --every and --table do not wait for that";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(false)
    }

    /// Whether the user asked for lifetimes by name.
    pub(crate) fn lifetime_by_name(&self) -> bool {
        let is_root = matches!(&self.root, Root::Label(key) if key == LIFETIME);
        is_root || matches!(self.labels, LabelKeys::Only(_)) && self.labels.has(LIFETIME)
    }

    /// Whether the number of samples is wanted, not the weight that they stand for.
    pub(crate) fn counts(&self) -> bool {
        self.weight == Weight::Samples
    }

    /// Whether weights are periods divided by the number of threads that ran.
    pub(crate) fn latency(&self) -> bool {
        self.weight == Weight::Latency
    }
}
