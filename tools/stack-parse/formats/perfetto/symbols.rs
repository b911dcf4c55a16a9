//! Names that came with a trace for code that had none when it was recorded.

use hashbrown::HashMap;

use super::code::{Code, Codes, NO_TEXT};
use super::messages::{Message, repeated};
use crate::read::protobuf::Malformed;

/// Names by file, build-id and address, and names of Java by the short ones that stand in the
/// code.
#[derive(Default)]
pub(super) struct Symbols {
    lines: HashMap<(u32, u32, u64), Vec<Line>>,
    /// The long names of classes and methods, by the short ones: `a.b` as `org.demo.Main.run`.
    plain: HashMap<u32, Vec<u8>>,
}

/// A function, and where it is in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) name: u32,
    pub(super) source: u32,
    pub(super) number: u32,
}

impl Symbols {
    /// The functions that are at the address of a frame, the innermost first.
    pub(super) fn lines(&self, code: &Code) -> &[Line] {
        let key = (code.mapping.path, code.mapping.build_id, code.address);
        self.lines.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The long name of a method, if its name is a short one.
    pub(super) fn plain(&self, name: u32) -> Option<&[u8]> {
        self.plain.get(&name).map(Vec::as_slice)
    }

    /// Takes the symbols of one file.
    pub(super) fn add(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        let module = Message::<3>::read(message)?;
        let (path, build_id) = (codes.text(module.bytes(1)), codes.text(module.bytes(2)));
        for symbols in repeated(message, 3) {
            let symbols = symbols?;
            let address = Message::<2>::read(symbols)?.number(1);
            let mut lines = Vec::new();
            for line in repeated(symbols, 2) {
                let line = Message::<4>::read(line?)?;
                let (name, source) = (codes.text(line.bytes(1)), codes.text(line.bytes(2)));
                let number = u32::try_from(line.number(3)).unwrap_or_default();
                lines.push(Line { name, source, number });
            }
            if lines.iter().any(|line| line.name != NO_TEXT) {
                self.lines.insert((path, build_id, address), lines);
            }
        }
        Ok(())
    }

    /// Takes the long names of classes.
    pub(super) fn add_plain(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        for class in repeated(message, 3) {
            let class = class?;
            let names = Message::<3>::read(class)?;
            let (short, long) = (names.bytes(1), names.bytes(2));
            for member in repeated(class, 4) {
                let member = Message::<3>::read(member?)?;
                let name = codes.text(&[short, b".", member.bytes(1)].concat());
                // A member of another class has its whole name.
                let plain = if member.bytes(2).contains(&b'.') {
                    member.bytes(2).to_vec()
                } else {
                    [long, b".", member.bytes(2)].concat()
                };
                self.plain.insert(name, plain);
            }
        }
        Ok(())
    }
}
