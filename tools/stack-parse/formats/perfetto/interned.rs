//! The declarations of a sequence, by their ids.

use hashbrown::HashMap;

use super::code::{Code, Codes, Mapping, NO_TEXT};
use super::messages::{Message, numbers};
use crate::read::protobuf::{Fields, Malformed};
use crate::read::stacks::{StackId, Stacks};

/// Names, stacks and other things declared with an id, in `InternedData` or in a `ProfilePacket`.
#[derive(Default)]
pub(super) struct Interned {
    /// The frames for the names of track events.
    event_names: HashMap<u64, u32>,
    texts: HashMap<(Text, u64), u32>,
    mappings: HashMap<u64, Mapping>,
    frames: HashMap<u64, u32>,
    stacks: HashMap<u64, StackId>,
    /// Messages for [`super::stack_sample`], by their field and their id.
    contexts: HashMap<(u64, u64), Vec<u8>>,
}

/// What a text is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Text {
    Category,
    Function,
    BuildId,
    Path,
    Source,
}

/// What a field declares. Each kind refers only to the kinds before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Texts,
    Mappings,
    Frames,
    Stacks,
}

/// The message that declares things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    InternedData,
    ProfilePacket,
}

impl Layout {
    fn entry(self, field: u64) -> Option<Entry> {
        Some(match (self, field) {
            (Layout::InternedData, 1 | 2 | 5 | 16..=18 | 48..=50) => Entry::Texts,
            (Layout::ProfilePacket, 1) => Entry::Texts,
            (Layout::InternedData, 19) | (Layout::ProfilePacket, 4) => Entry::Mappings,
            (Layout::InternedData, 6) | (Layout::ProfilePacket, 2) => Entry::Frames,
            (Layout::InternedData, 7) | (Layout::ProfilePacket, 3) => Entry::Stacks,
            _ => return None,
        })
    }

    /// The uses of the texts in a field.
    fn texts(self, field: u64) -> &'static [Text] {
        match (self, field) {
            (Layout::ProfilePacket, _) => &[Text::Function, Text::BuildId, Text::Path],
            (Layout::InternedData, 1) => &[Text::Category],
            (Layout::InternedData, 5) => &[Text::Function],
            (Layout::InternedData, 16) => &[Text::BuildId],
            (Layout::InternedData, 17) => &[Text::Path],
            (Layout::InternedData, _) => &[Text::Source],
        }
    }
}

/// The field of the names of track events.
const EVENT_NAMES: u64 = 2;

/// The first of the fields whose messages are kept as they are.
const CONTEXTS: u64 = 48;

impl Interned {
    /// Reads the declarations in a message. Skips those that are malformed.
    pub(super) fn read(
        &mut self,
        message: &[u8],
        layout: Layout,
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<(), Malformed> {
        let mut read = Ok(());
        // Texts may come after the things that they name.
        for wanted in [Entry::Texts, Entry::Mappings, Entry::Frames, Entry::Stacks] {
            for field in Fields::of(message) {
                let (number, value) = field?;
                if layout.entry(number) != Some(wanted) {
                    continue;
                }
                let added = match wanted {
                    Entry::Texts => self.add_text(value.bytes(), number, layout, codes),
                    Entry::Mappings => self.add_mapping(value.bytes(), codes),
                    Entry::Frames => self.add_frame(value.bytes(), codes),
                    Entry::Stacks => self.add_stack(value.bytes(), codes, stacks),
                };
                read = read.and(added);
            }
        }
        read
    }

    fn add_text(
        &mut self,
        message: &[u8],
        field: u64,
        layout: Layout,
        codes: &mut Codes,
    ) -> Result<(), Malformed> {
        let entry = Message::<3>::read(message)?;
        let number = entry.number(1);
        if layout == Layout::InternedData && field >= CONTEXTS {
            self.contexts.insert((field, number), message.to_vec());
            return Ok(());
        }
        let text = codes.text(entry.bytes(2));
        if layout == Layout::InternedData && field == EVENT_NAMES {
            self.event_names.insert(number, codes.frame_of_name(text));
            return Ok(());
        }
        for kind in layout.texts(field) {
            self.texts.insert((*kind, number), text);
        }
        Ok(())
    }

    fn add_mapping(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let mapping = Message::<8>::read(message)?;
        let mut path = Vec::new();
        for part in numbers(message, 7)? {
            path.push(b'/');
            path.extend_from_slice(codes.text_of(self.text(Text::Path, part)));
        }
        // Chrome puts a whole path into one part, and memory that is not from a file has a name in
        // brackets.
        let path = match &path[..] {
            [b'/', rest @ ..] if matches!(rest.first(), Some(b'/' | b'[')) => rest,
            path => path,
        };
        let path = codes.text(path);
        let build_id = self.text(Text::BuildId, mapping.number(2));
        let load_bias = mapping.number(6);
        self.mappings.insert(mapping.number(1), Mapping { path, build_id, load_bias });
        Ok(())
    }

    fn add_frame(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let frame = Message::<8>::read(message)?;
        let mapping = self.mappings.get(&frame.number(3)).copied().unwrap_or_default();
        let code = Code {
            name: self.text(Text::Function, frame.number(2)),
            mapping,
            address: frame.number(4),
            source: self.text(Text::Source, frame.number(5)),
            line: u32::try_from(frame.number(6)).unwrap_or_default(),
            kind: frame.number(7),
        };
        self.frames.insert(frame.number(1), codes.frame(code));
        Ok(())
    }

    fn add_stack(
        &mut self,
        message: &[u8],
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<(), Malformed> {
        let number = Message::<2>::read(message)?.number(1);
        let mut stack = Stacks::EMPTY;
        // The outermost frame is the first.
        for frame in numbers(message, 2)? {
            let frame = self.frames.get(&frame).copied();
            stack = stacks.call(stack, frame.unwrap_or_else(|| codes.frame(Code::default())));
        }
        self.stacks.insert(number, stack);
        Ok(())
    }

    /// The id of a text in the whole trace.
    pub(super) fn text(&self, kind: Text, number: u64) -> u32 {
        self.texts.get(&(kind, number)).copied().unwrap_or(NO_TEXT)
    }

    /// The frame for the name of a track event.
    pub(super) fn event_name(&self, number: u64) -> Option<u32> {
        self.event_names.get(&number).copied()
    }

    pub(super) fn stack(&self, number: u64) -> Option<StackId> {
        self.stacks.get(&number).copied()
    }

    /// A message declared in this field of `InternedData`.
    pub(super) fn context(&self, field: u64, number: u64) -> Option<&[u8]> {
        self.contexts.get(&(field, number)).map(Vec::as_slice)
    }
}
