//! Sums or writes slices: what a thread did for some time.

use common::Result;
use common::folded::{Label, NO_STACK};
use common::stacks::{NodeId, StackTree};

use super::Samples;
use super::sample::{Sample, Time};
use super::sources::{Slice, State, WakerStack, Wakers, Who};

/// The event of slices.
const EVENT: &[u8] = b"wall-clock";

impl Samples<'_> {
    /// Sums a slice, or writes it as a line.
    ///
    /// # Errors
    ///
    /// [`common::Error::Output`] with what the system says.
    pub(super) fn add_slice(&mut self, slice: &Slice) -> Result<()> {
        let number = |number: Option<u32>| number.map(|it| it.to_string().into_bytes());
        let (pid, tid) = (number(slice.pid), number(Some(slice.tid)));
        let waker = slice.waker.map(|waker| match waker.who {
            Who::Thread(tid) => tid.to_string().into_bytes(),
            Who::Interrupt => b"interrupt".to_vec(),
            Who::Idle => b"idle".to_vec(),
        });
        let comm = self.sums.name(slice.comm).to_vec();
        let state = (&b"state"[..], Some(slice.state.label().as_bytes()));
        let labels: Vec<Label<'_>> = [state, (b"waker", waker.as_deref())]
            .into_iter()
            .filter_map(|(key, value)| Some(Label { key, value: value? }))
            .collect();
        let origin = Sample {
            comm: &comm,
            pid: pid.as_deref(),
            tid: tid.as_deref(),
            time: Some(Time::Nanoseconds(slice.time)),
            event: EVENT,
            labels: &labels,
            ..Sample::default()
        };
        let leaf = self.leaf_of_slice(slice, &origin);
        if self.stream.is_some() {
            return self.write_slice(slice, &origin, leaf);
        }
        let when = self.window.labelled_when(&origin);
        if let Some(labelled) = &mut self.sums.labelled {
            labelled.note(&origin, EVENT, when, &mut self.labels);
        }
        self.sums.add_weight(slice.length, leaf, self.sums.noted_labels());
        Ok(())
    }

    /// The node of its stack, with the state and the stack of the waker.
    fn leaf_of_slice(&mut self, slice: &Slice, origin: &Sample<'_>) -> NodeId {
        let Samples { base, events, wants, window, sums, labels, .. } = self;
        let mut leaf = slice.leaf.unwrap_or_else(|| {
            let event = events.announce(EVENT, b"ns");
            base.set((event, events.get_mut(event)), origin, &wants.root, window, sums);
            base.node
        });
        if slice.leaf.is_none() && slice.state == State::Running {
            leaf = sums.below(leaf, b"[no sample]");
        }
        if !labels.has(b"state") {
            leaf = sums.below(leaf, slice.state.frame().as_bytes());
        }
        if sums.tree.parent(leaf) == StackTree::ROOT {
            leaf = sums.below(leaf, NO_STACK);
        }
        let is_wait = matches!(slice.state, State::Waiting | State::WaitingOrRunnable);
        if !(wants.wakers && is_wait) {
            return leaf;
        }
        let mut wakers = Wakers::new(&mut sums.frames);
        match slice.waker.and_then(|waker| waker.stack) {
            Some(WakerStack::Recorded { base, leaf: waker, name }) => {
                wakers.below(leaf, (base, waker), name, &mut sums.tree, &sums.frames)
            }
            Some(WakerStack::Ended(name)) => {
                let separator = sums.below(leaf, b"--");
                let end = sums.below(separator, b"[end of thread]");
                sums.tree.child(end, name)
            }
            Some(WakerStack::Unknown(name)) => {
                let separator = sums.below(leaf, b"--");
                sums.tree.child(separator, name)
            }
            None => wakers.unknown(leaf, slice.length, &mut sums.tree),
        }
    }

    /// Writes a slice as a line.
    fn write_slice(&mut self, slice: &Slice, origin: &Sample<'_>, leaf: NodeId) -> Result<()> {
        self.write_streamed_header()?;
        let Samples { pipe: Some(pipe), stream: Some(stream), window, sums, labels, .. } = self
        else {
            return Ok(());
        };
        let line = stream.open(origin, EVENT, window);
        labels.append(origin, EVENT, window.labelled_when(origin), line);
        sums.append_stack(leaf, line);
        stream.write(slice.length, pipe)
    }
}
