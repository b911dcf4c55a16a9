//! Names the frames of all stacks.

use symbolize::MappedObject;

use super::code::{Code, Codes, Mapping, NO_TEXT};
use super::symbols::Symbols;
use crate::frame::{Frame, Kind};
use crate::options::Options;
use crate::read::mapped_code::{self, name_codes};
use crate::read::source::{append_frames, place};
use crate::read::stacks::FrameNames;
use crate::samples::Samples;

/// The kinds of frames outside the program's own code.
const KERNEL: u64 = 2;
const JIT: u64 = 4;

impl Codes {
    /// Names all frames: by the symbols in the trace, by the names in it, or by the files that ran.
    pub(super) fn names(
        &self,
        symbols: &Symbols,
        options: &Options,
        samples: &mut Samples<'_>,
    ) -> FrameNames {
        let is_nameless = |code: &Code| {
            code.name == NO_TEXT && symbols.lines(code).is_empty() && code.source == NO_TEXT
        };
        let nameless = self.all().filter(|(_, code)| is_nameless(code));
        let nameless = nameless.map(|(number, code)| (number, self.in_its_file(code)));
        let found = name_codes(nameless, options, samples);
        let (mut names, mut frames) = (FrameNames::default(), Vec::new());
        for (number, code) in self.all() {
            let lines = symbols.lines(code);
            if !lines.is_empty() {
                let text = |number: u32| self.text_of(number);
                let root_first = lines.iter().rev();
                let root_first =
                    root_first.map(|it| (text(it.name), text(it.source), it.number.into()));
                frames.clear();
                append_frames(root_first, &self.bare(code), samples, &mut frames);
                names.push_named(&frames, self.text_of(code.mapping.path), samples);
            } else if is_nameless(code) {
                let object = self.text_of(code.mapping.path);
                names.push_named(found.frames(number), object, samples);
            } else {
                let source = place(self.text_of(code.source), code.line.into());
                let name = symbols.plain(code.name).unwrap_or(self.text_of(code.name));
                names.push(&Frame { name, source: &source, ..self.bare(code) }, samples);
            }
        }
        names
    }

    /// A frame for code, without a name.
    fn bare(&self, code: &Code) -> Frame<'_> {
        let object = self.text_of(code.mapping.path);
        let address = Some(code.address).filter(|_| code.mapping != Mapping::default());
        let kind = match (object, code.kind) {
            (b"/kernel", _) | (_, KERNEL) => Kind::Kernel,
            (_, JIT) => Kind::Jit,
            _ => Kind::of_object(object, None),
        };
        let offset = address.filter(|_| !object.is_empty()).map(|_| code.offset());
        Frame { object, address, offset, kind, ..Frame::default() }
    }

    /// Code with its offset in its file.
    fn in_its_file(&self, code: &Code) -> mapped_code::Code<'_> {
        let path = self.text_of(code.mapping.path);
        let build_id = self.text_of(code.mapping.build_id);
        // Chrome's build-ids are digits as text.
        let build_id = Some(build_id).filter(|id| !id.is_empty() && !is_text(id));
        let mapped = MappedObject { path, build_id, ..Default::default() };
        let is_file = path.starts_with(b"/") && path != b"/kernel";
        let object = is_file.then(|| (mapped, code.offset()));
        mapped_code::Code { bare: self.bare(code), object }
    }
}

fn is_text(build_id: &[u8]) -> bool {
    build_id.iter().all(u8::is_ascii_hexdigit)
}
