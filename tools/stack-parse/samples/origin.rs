//! Makes root frames and labels from the data of a sample.

use std::borrow::Cow;

use super::Samples;
use super::labels::value_of;
use super::root::Root;
use super::sample::Sample;
use super::weight::Weight;

impl Samples<'_> {
    /// Whether the value of this label is needed.
    pub(crate) fn wants_label(&self, key: &[u8]) -> bool {
        self.labels.has(key) || matches!(&self.input.root, Root::Label(root) if root == key)
    }

    /// Whether any labels of samples are needed.
    pub(crate) fn wants_labels(&self) -> bool {
        self.args.has_labels() || matches!(self.input.root, Root::Label(_))
    }

    /// Whether labels are needed that also give the thread or the time: for root frames, the slice
    /// of time or the columns of the table.
    pub(crate) fn wants_origin(&self) -> bool {
        let has_root = self.input.root != Root::None;
        self.wants_labels() || has_root || self.choose_times()
    }

    /// Whether the user wants the number of samples, not the weight that they stand for.
    pub(crate) fn counts_samples(&self) -> bool {
        self.args.weight == Weight::Samples
    }

    /// Declares that the times of this input are not seconds of a clock.
    pub(crate) fn set_unclocked(&mut self) {
        self.window.set_unclocked();
    }

    /// Declares that this input has one thread: then the default is no root frame.
    pub(crate) fn set_one_thread(&mut self) {
        self.input.root = self.args.root.clone().unwrap_or(Root::None);
    }

    /// Makes the root frames of a sample.
    pub(super) fn set_base(&mut self, event: usize, origin: &Sample<'_>) {
        let label = match &self.input.root {
            Root::Label(key) => {
                let when = self.window.labelled_when(origin);
                value_of(key, origin, &self.events.get(event).name, when).map(Cow::into_owned)
            }
            _ => None,
        };
        let label = label.as_deref();
        // The next sample is mostly of the same thread.
        if self.base.is(event, origin, label, &self.input.root) {
            return;
        }
        self.base.note(event, origin, label);
        self.base.frames.clear();
        let Samples { events, tree, frames, base, text, .. } = self;
        let known = events.get_mut(event);
        base.node = known.node_in(tree, frames);
        if self.args.events.by_event {
            base.frames.push(tree.frame(base.node));
        }
        text.clear();
        self.input.root.push_name(origin, label, text);
        if !text.is_empty() || label.is_some() {
            let frame = frames.intern(text);
            base.frames.push(frame);
            base.node = tree.child(base.node, frame);
        }
    }

    /// Notes the labels of a sample for its line.
    pub(super) fn set_labels(&mut self, event: usize, origin: &Sample<'_>) {
        let when = self.window.labelled_when(origin);
        let Samples { labelled, labels, line_labels, events, .. } = self;
        let event = &events.get(event).name;
        if let Some(labelled) = labelled {
            return labelled.note(origin, event, when, labels);
        }
        line_labels.clear();
        if let Some(when) = when.filter(|when| labels.has_time(*when)) {
            labels.append_times(when, line_labels);
        }
        line_labels.extend_from_slice(labels.text(origin, event));
    }
}
