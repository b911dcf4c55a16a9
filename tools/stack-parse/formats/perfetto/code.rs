//! The frames of all stacks, by ids that are valid for the whole trace.

use common::stacks::FrameTable;
use hashbrown::HashMap;

/// The id of a text that is empty or unknown.
pub(super) const NO_TEXT: u32 = 0;

/// The data of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Code {
    /// The id of a text, like all texts here.
    pub(super) name: u32,
    /// The file that contains it.
    pub(super) mapping: Mapping,
    /// Its address in that file, as in the file's symbols.
    pub(super) address: u64,
    pub(super) source: u32,
    pub(super) line: u32,
    /// A value of `Frame.Kind`.
    pub(super) kind: u64,
}

impl Code {
    /// Its offset in its file, in bytes from the start.
    pub(super) fn offset(&self) -> u64 {
        self.address.checked_sub(self.mapping.load_bias).unwrap_or(self.address)
    }
}

/// A file that was mapped into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Mapping {
    pub(super) path: u32,
    pub(super) build_id: u32,
    /// How much larger addresses in the file are than offsets in it.
    pub(super) load_bias: u64,
}

/// All frames, and all texts of a trace.
pub(super) struct Codes {
    texts: FrameTable,
    list: Vec<Code>,
    numbers: HashMap<Code, u32>,
    /// Frames with a name only, by the id of that name.
    by_name: Vec<Option<u32>>,
}

impl Default for Codes {
    fn default() -> Codes {
        let mut texts = FrameTable::default();
        texts.intern(b"");
        Codes { texts, list: Vec::new(), numbers: HashMap::new(), by_name: Vec::new() }
    }
}

impl Codes {
    /// The id of a text.
    pub(super) fn text(&mut self, text: &[u8]) -> u32 {
        self.texts.intern(text)
    }

    /// The text with this id.
    pub(super) fn text_of(&self, number: u32) -> &[u8] {
        self.texts.name(number)
    }

    /// The name of a frame, if it has one.
    pub(super) fn name_of(&self, frame: u32) -> &[u8] {
        self.text_of(self.list[frame as usize].name)
    }

    /// The id of a frame.
    pub(super) fn frame(&mut self, code: Code) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(code).or_insert_with(|| {
            list.push(code);
            (list.len() - 1) as u32
        })
    }

    /// The id of a frame with a name only.
    pub(super) fn frame_of_name(&mut self, name: u32) -> u32 {
        let place = name as usize;
        if let Some(Some(frame)) = self.by_name.get(place) {
            return *frame;
        }
        let frame = self.frame(Code { name, ..Code::default() });
        self.by_name.resize(self.by_name.len().max(place + 1), None);
        self.by_name[place] = Some(frame);
        frame
    }

    /// All frames, and their ids.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Code)> {
        self.list.iter().enumerate().map(|(number, code)| (number as u32, code))
    }
}
