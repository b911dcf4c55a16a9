//! The addresses of an interpreted recording: each has one function, and those it is inlined into.

use hashbrown::HashMap;

use super::{SIZED_STRINGS, nth, numbers, sized_prefix};
use crate::frame::Frame;
use crate::read::source::Place;
use crate::read::stacks::{FrameNames, StackId, Stacks};
use crate::samples::{Inlined, Samples};

/// Addresses, numbered in the order in which they come.
#[derive(Default)]
pub(super) struct Addresses {
    strings: Vec<Vec<u8>>,
    /// Where the frames of each address end in `frames`; a function comes before those it is
    /// inlined into.
    ends: Vec<usize>,
    /// The frames of all addresses, as indexes of names.
    frames: Vec<u32>,
    by_place: HashMap<(u64, [u64; 4], bool), u32>,
}

impl Addresses {
    /// `4 main`; `main` in old files.
    pub(super) fn string(&mut self, rest: &[u8], version: u64) -> Option<()> {
        let text = if version < SIZED_STRINGS {
            Some(rest)
        } else {
            sized_prefix(rest).map(|(text, _)| text)
        };
        self.strings.push(text.unwrap_or(rest).to_vec());
        text.map(drop)
    }

    /// `7f0af1605a1d 8 e d 4a e d 1a`
    pub(super) fn address(
        &mut self,
        rest: &[u8],
        names: &mut FrameNames,
        samples: &mut Samples<'_>,
    ) -> Option<()> {
        let numbers: Option<Vec<u64>> = numbers(rest).collect();
        let numbers = numbers.filter(|numbers| numbers.len() >= 2);
        let [address, module, places @ ..] = numbers.as_deref().unwrap_or(&[0, 0]) else {
            return None;
        };
        let mut places = places.chunks_exact(3).peekable();
        if places.peek().is_none() {
            let frame = self.frame(*address, [*module, 0, 0, 0], false, (names, samples));
            self.frames.push(frame);
        }
        while let Some(place) = places.next() {
            let is_inlined = places.peek().is_some();
            let place = [*module, place[0], place[1], place[2]];
            let frame = self.frame(*address, place, is_inlined, (names, samples));
            self.frames.push(frame);
        }
        // One that cannot be read has a number, too, as others are referred to by number.
        self.ends.push(self.frames.len());
        numbers.map(drop)
    }

    /// The number of a frame: module, function, file and line.
    fn frame(
        &mut self,
        address: u64,
        place: [u64; 4],
        inlined: bool,
        (names, samples): (&mut FrameNames, &mut Samples<'_>),
    ) -> u32 {
        let [module, function, file, line] = place;
        let string = |number| nth(&self.strings, number).map_or(&b""[..], |text| text);
        let (name, object) = (string(function), string(module));
        // All addresses with the same name share a frame.
        let address = if name.is_empty() && object.is_empty() { address } else { 0 };
        let next = names.len() as u32;
        let number = *self.by_place.entry((address, place, inlined)).or_insert(next);
        if number == next {
            let mut source = Place::new(string(file), Some(line).filter(|line| *line > 0));
            let (address, source) = (Some(address).filter(|it| *it > 0), source.text());
            let frame = Frame { name, object, address, source, inlined, ..Frame::default() };
            names.push(&frame, samples);
        }
        number
    }

    /// The stack of `callers` and the functions at the address with this number, counted from 1.
    pub(super) fn call(
        &self,
        callers: StackId,
        number: u64,
        stacks: &mut Stacks,
        inlined: &mut Inlined,
    ) -> StackId {
        let end = |number| nth(&self.ends, number).copied();
        let Some(last) = end(number) else { return stacks.call(callers, u32::MAX) };
        let first = end(number - 1).unwrap_or(0);
        let shown = inlined.take_listed(last - first);
        let root_first = self.frames[first..last].iter().rev().take(shown);
        root_first.fold(callers, |stack, &frame| stacks.call(stack, frame))
    }
}
