//! Symbols in the trace, for code that had no names when it was recorded.

use hashbrown::HashMap;

use super::code::{Code, Codes, NO_TEXT};
use super::messages::{Message, repeated};
use crate::read::protobuf::Malformed;

/// Functions by file, build-id and address, and full names of Java by the obfuscated ones in the
/// code.
#[derive(Default)]
pub(super) struct Symbols {
    lines: HashMap<(u32, u32, u64), Vec<Line>>,
    /// The full names of classes and methods, by the obfuscated ones: `a.b` to `org.demo.Main.run`.
    plain: HashMap<u32, Vec<u8>>,
}

/// A function and its source line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) name: u32,
    pub(super) source: u32,
    pub(super) number: u32,
}

impl Symbols {
    /// The functions at the address of a frame, innermost first.
    pub(super) fn lines(&self, code: &Code) -> &[Line] {
        let key = (code.mapping.path, code.mapping.build_id, code.address);
        self.lines.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// The full name of a method, if its name is obfuscated.
    pub(super) fn plain(&self, name: u32) -> Option<&[u8]> {
        self.plain.get(&name).map(Vec::as_slice)
    }

    /// Adds the symbols of one file.
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

    /// Adds the full names of classes.
    pub(super) fn add_plain(&mut self, message: &[u8], codes: &mut Codes) -> Result<(), Malformed> {
        for class in repeated(message, 3) {
            let class = class?;
            let names = Message::<3>::read(class)?;
            let (short, long) = (names.bytes(1), names.bytes(2));
            for member in repeated(class, 4) {
                let member = Message::<3>::read(member?)?;
                let name = codes.text(&[short, b".", member.bytes(1)].concat());
                // A member of another class has a fully qualified name.
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
