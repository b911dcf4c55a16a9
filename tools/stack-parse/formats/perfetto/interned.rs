//! The declarations of a sequence, by their ids.

use hashbrown::HashMap;

use super::code::{Code, Codes, Mapping, NO_TEXT};
use super::messages::{
    callstack, frame, interned_data as of, interned_string, mapping, profile_packet,
};
use crate::read::protobuf::{FieldNumber, Fields, Malformed, list};
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
    contexts: HashMap<(FieldNumber, u64), Vec<u8>>,
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

/// What a field declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Texts with these uses.
    Texts(&'static [Text]),
    EventNames,
    /// Messages that are kept as they are.
    Contexts,
    Mappings,
    Frames,
    Stacks,
}

impl Entry {
    /// An entry refers only to entries of lower ranks.
    fn rank(self) -> u32 {
        match self {
            Entry::Texts(_) | Entry::EventNames | Entry::Contexts => 0,
            Entry::Mappings => 1,
            Entry::Frames => 2,
            Entry::Stacks => 3,
        }
    }
}

/// What a field of `InternedData` declares.
pub(super) fn of_interned_data(field: FieldNumber) -> Option<Entry> {
    Some(match field {
        of::MAPPINGS => Entry::Mappings,
        of::FRAMES => Entry::Frames,
        of::CALLSTACKS => Entry::Stacks,
        of::TASK_CONTEXTS | of::EXECUTION_CONTEXTS | of::COUNTER_DESCRIPTORS => Entry::Contexts,
        of::EVENT_NAMES => Entry::EventNames,
        of::EVENT_CATEGORIES => Entry::Texts(&[Text::Category]),
        of::FUNCTION_NAMES => Entry::Texts(&[Text::Function]),
        of::BUILD_IDS => Entry::Texts(&[Text::BuildId]),
        of::MAPPING_PATHS => Entry::Texts(&[Text::Path]),
        of::SOURCE_PATHS => Entry::Texts(&[Text::Source]),
        _ => return None,
    })
}

/// What a field of a `ProfilePacket` declares.
pub(super) fn of_profile_packet(field: FieldNumber) -> Option<Entry> {
    Some(match field {
        profile_packet::STRINGS => Entry::Texts(&[Text::Function, Text::BuildId, Text::Path]),
        profile_packet::MAPPINGS => Entry::Mappings,
        profile_packet::FRAMES => Entry::Frames,
        profile_packet::CALLSTACKS => Entry::Stacks,
        _ => return None,
    })
}

impl Interned {
    /// Reads the declarations in a message, whose fields `entry` tells. Skips those that are
    /// malformed.
    pub(super) fn read(
        &mut self,
        message: &[u8],
        entry: impl Fn(FieldNumber) -> Option<Entry>,
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<(), Malformed> {
        let mut read = Ok(());
        // Texts may come after the things that they name.
        for wanted in 0..=Entry::Stacks.rank() {
            for field in Fields::of(message) {
                let (number, value) = field?;
                let message = value.bytes();
                let added = match entry(number).filter(|it| it.rank() == wanted) {
                    None => continue,
                    Some(Entry::Texts(uses)) => self.add_text(message, uses, codes),
                    Some(Entry::EventNames) => self.add_event_name(message, codes),
                    Some(Entry::Contexts) => self.add_context(number, message),
                    Some(Entry::Mappings) => self.add_mapping(message, codes),
                    Some(Entry::Frames) => self.add_frame(message, codes),
                    Some(Entry::Stacks) => self.add_stack(message, codes, stacks),
                };
                read = read.and(added);
            }
        }
        read
    }

    fn add_text(
        &mut self,
        message: &[u8],
        uses: &[Text],
        codes: &mut Codes,
    ) -> Result<(), Malformed> {
        let (number, text) = interned_text(message, codes)?;
        self.texts.extend(uses.iter().map(|used| ((*used, number), text)));
        Ok(())
    }

    fn add_event_name(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let (number, text) = interned_text(message, codes)?;
        self.event_names.insert(number, codes.frame_of_name(text));
        Ok(())
    }

    fn add_context(&mut self, field: FieldNumber, message: &[u8]) -> Result<(), Malformed> {
        let number = interned_string::read(message)?.number(interned_string::IID);
        self.contexts.insert((field, number), message.to_vec());
        Ok(())
    }

    fn add_mapping(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let said = mapping::read(message)?;
        let mut path = Vec::new();
        for part in list(message, mapping::PATH_STRING_IDS)? {
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
        let build_id = self.text(Text::BuildId, said.number(mapping::BUILD_ID));
        let load_bias = said.number(mapping::LOAD_BIAS);
        self.mappings.insert(said.number(mapping::IID), Mapping { path, build_id, load_bias });
        Ok(())
    }

    fn add_frame(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let said = frame::read(message)?;
        let mapping = self.mappings.get(&said.number(frame::MAPPING_ID)).copied();
        let code = Code {
            name: self.text(Text::Function, said.number(frame::FUNCTION_NAME_ID)),
            mapping: mapping.unwrap_or_default(),
            address: said.number(frame::REL_PC),
            source: self.text(Text::Source, said.number(frame::SOURCE_PATH_IID)),
            line: u32::try_from(said.number(frame::LINE_NUMBER)).unwrap_or_default(),
            kind: said.number(frame::KIND),
        };
        self.frames.insert(said.number(frame::IID), codes.frame(code));
        Ok(())
    }

    fn add_stack(
        &mut self,
        message: &[u8],
        codes: &mut Codes,
        stacks: &mut Stacks,
    ) -> Result<(), Malformed> {
        let number = callstack::read(message)?.number(callstack::IID);
        let mut stack = Stacks::EMPTY;
        // The outermost frame is the first.
        for frame in list(message, callstack::FRAME_IDS)? {
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
    pub(super) fn context(&self, field: FieldNumber, number: u64) -> Option<&[u8]> {
        self.contexts.get(&(field, number)).map(Vec::as_slice)
    }
}

/// The id of a text in its sequence, and in the whole trace.
fn interned_text(message: &[u8], codes: &mut Codes) -> Result<(u64, u32), Malformed> {
    let said = interned_string::read(message)?;
    Ok((said.number(interned_string::IID), codes.text(said.bytes(interned_string::STR))))
}
