//! The instructions of a function, as objdump or llvm-objdump prints them.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use bstr::ByteSlice;
use common::numbers::{hexadecimal, is_digits};
use common::{Error, Result, names::file_and_line};

/// The programs that disassemble. The first that is installed is used.
const PROGRAMS: [&str; 2] = ["objdump", "llvm-objdump"];

/// The message if none of them is installed.
const NO_OBJDUMP: &str = "--asm needs objdump: install binutils, or llvm for llvm-objdump";

/// An instruction, and the line that it is compiled from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) address: u64,
    pub(crate) text: Vec<u8>,
    /// Empty and 0 where that is not known.
    pub(crate) path: Vec<u8>,
    pub(crate) line: u32,
}

/// Disassembles these addresses of an executable; `options` are those of `objdump -M`.
///
/// # Errors
///
/// None of the programs is installed, or the message of the one that failed.
pub(crate) fn instructions(
    file: &Path,
    addresses: Range<u64>,
    options: Option<&str>,
) -> Result<Vec<Instruction>> {
    let start = |program| {
        let mut command = Command::new(program);
        command.args(["-d", "-l", "-C", "--no-show-raw-insn"]);
        command.arg(format!("--start-address={:#x}", addresses.start));
        command.arg(format!("--stop-address={:#x}", addresses.end));
        command.args(options.iter().flat_map(|options| ["-M", options]));
        command.arg("--").arg(file).stdin(Stdio::null()).output()
    };
    for program in PROGRAMS {
        match start(program) {
            Ok(Output { status, stdout, .. }) if status.success() => {
                return Ok(parse(&stdout, &addresses));
            }
            Ok(Output { stderr, .. }) => {
                let said = stderr.lines().next().unwrap_or_default().to_str_lossy().into_owned();
                return Err(Error::Usage(said));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Input { name: program.to_owned(), source }),
        }
    }
    Err(Error::Usage(NO_OBJDUMP.to_owned()))
}

/// ```text
/// hash_all(std::vector<unsigned long> const&):
/// /src/hot.cpp:14 (discriminator 2)
///     16e7:  cmp    %rsi,%rdi
/// ; /src/hot.cpp:14
///     16e7:        cmpq  %rsi, %rdi
/// ```
fn parse(text: &[u8], addresses: &Range<u64>) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let (mut path, mut line) = (&b""[..], 0);
    for text in text.lines() {
        if let Some((address, text)) = instruction(text) {
            let text = without_own_name(text, addresses).replace(b"\t", b" ");
            instructions.push(Instruction { address, text, path: path.to_vec(), line });
        } else if let Some(place) = place(text) {
            (path, line) = file_and_line(place);
        }
    }
    instructions
}

/// The address and the text of an instruction.
fn instruction(text: &[u8]) -> Option<(u64, &[u8])> {
    let (address, rest) = text.trim_start().split_once_str(":")?;
    let text = rest.strip_prefix(b"\t").or_else(|| rest.strip_prefix(b" "))?;
    Some((hexadecimal(address)?, text.trim()))
}

/// `je     1770` of `je     1770 <f(int)+0x90>`, if that jumps within these addresses: names may be
/// long, and the function is known.
fn without_own_name<'a>(text: &'a [u8], addresses: &Range<u64>) -> &'a [u8] {
    let target = text.split_once_str(" <").and_then(|(jump, _)| {
        let (_, target) = jump.rsplit_once_str(" ").or_else(|| jump.rsplit_once_str("\t"))?;
        hexadecimal(target).filter(|target| addresses.contains(target)).map(|_| jump)
    });
    target.filter(|_| text.ends_with(b">")).unwrap_or(text)
}

/// `/src/hot.cpp:14`, with what comes before it and after it.
fn place(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"; ").unwrap_or(text);
    let text = text.split_once_str(" (discriminator ").map_or(text, |(place, _)| place);
    let (path, line) = text.rsplit_once_str(":")?;
    (!path.is_empty() && (is_digits(line) || line == b"?")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_are_read() {
        let gnu = b"\nhotcpp:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n\
            00000000000016e0 <f(int)>:\nf(int):\n/src/my hot.cpp:14 (discriminator 2)\n\
            \x20   16e7:\tcmp    %rsi,%rdi\n    16ea:\tje     1770 <f(int)+0x90>\n\
            /src/b.h:?\n    16f0:\tret\n";
        let llvm = b"\nhotcpp:\tfile format elf64-x86-64\n\nDisassembly of section .text:\n\n\
            00000000000016e0 <f(int)>:\n; f(int)():\n; /src/my hot.cpp:14\n\
            \x20   16e7:      \tcmpq\t%rsi, %rdi\n    16ea:      \tje\t0x1770 <f(int)+0x90>\n\
            ; /src/b.h:0\n    16f0:      \tretq\n";
        for (text, expected) in [
            (&gnu[..], ["cmp    %rsi,%rdi", "je     1770 <f(int)+0x90>", "ret"]),
            (llvm, ["cmpq %rsi, %rdi", "je 0x1770 <f(int)+0x90>", "retq"]),
        ] {
            let of = |address, text: &str, path: &[u8], line| Instruction {
                address,
                text: text.as_bytes().to_vec(),
                path: path.to_vec(),
                line,
            };
            let expected = [
                of(0x16e7, expected[0], b"/src/my hot.cpp", 14),
                of(0x16ea, expected[1], b"/src/my hot.cpp", 14),
                of(0x16f0, expected[2], b"/src/b.h", 0),
            ];
            assert_eq!(parse(text, &(0x16e0..0x1770)), expected);
            let near = parse(text, &(0x16e0..0x1771));
            assert!(near[1].text.ends_with(b"1770"), "{}", near[1].text.as_bstr());
        }
    }
}
