//! The instructions as a table, for people and for programs.

use common::names::{base_of_place, printable, utf8};
use common::{io::push_field, numbers::share, stacks::FrameWeights};

use super::Disassembled;
use crate::listing::Row;
use crate::text::{INDENT, Style, right, truncated, widths};
use common::sources::{Sources, readable};

/// The widest column of instructions in a pipe: few are longer, and the source follows them.
const WIDEST: usize = 48;

/// The narrowest one.
const LEAST: usize = 16;

/// The space after each column.
const GAP: usize = 2;

/// A line for each row: self, its share of the function, address, instruction, and the line of the
/// source wherever that changes.
pub(super) fn table(
    style: &Style<'_>,
    rows: &[Row],
    disassembled: &Disassembled,
    sources: &Sources,
) -> String {
    let whole = disassembled.weight;
    let cells = |row: &Row| match row {
        Row::Gap => ["", "", "\u{2026}", ""].map(str::to_owned),
        Row::Line(line) => {
            let instruction = disassembled.instruction(*line);
            let FrameWeights { self_weight, .. } = line.weights;
            let share = if self_weight == 0 { String::new() } else { share(self_weight, whole) };
            let address = format!("{:x}", instruction.address);
            [style.cell(self_weight), share, address, printable(&instruction.text)]
        }
    };
    let heads = ["self", "", "", ""].map(str::to_owned);
    let cells: Vec<[String; 4]> = [heads].into_iter().chain(rows.iter().map(cells)).collect();
    let [own, share, address, instruction] = widths(&cells);
    let first = INDENT.len() + own + share + address + 3 * GAP;
    // On a terminal, the instruction and the line of the source share what is left.
    let room = style.screen.columns.map(|columns| columns.saturating_sub(first + GAP) / 2);
    let instruction = instruction.min(room.map_or(WIDEST, |room| room.max(LEAST)));
    let before = first + instruction + GAP;
    let mut text = format!("{INDENT}{}\n", right(&cells[0][0], own));
    let mut last = String::new();
    for (row, cells) in rows.iter().zip(&cells[1..]) {
        let source = disassembled.source(*row, sources);
        let shown = if source == last { String::new() } else { source.clone() };
        last = source;
        let number = style.painted(row, &right(&cells[0], own));
        let line = format!(
            "{INDENT}{number}  {}  {}  {:instruction$}  {}",
            right(&cells[1], share),
            right(&cells[2], address),
            room.map_or_else(|| cells[3].clone(), |_| truncated(&cells[3], instruction)),
            style.cut(shown, before),
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

impl Disassembled {
    /// `hot.cpp:14  for (auto x : v) {`, as far as it is known.
    fn source(&self, row: Row, sources: &Sources) -> String {
        let Row::Line(line) = row else { return String::new() };
        let instruction = self.instruction(line);
        if instruction.line == 0 {
            return String::new();
        }
        let number = instruction.line;
        let place = format!("{}:{number}", printable(base_of_place(&instruction.path)));
        let text = sources.get(&instruction.path).and_then(|source| source.line(number));
        format!("{place}  {}", readable(text.unwrap_or_default().trim_ascii()))
    }
}

/// A row for each instruction that weighs something.
pub(super) fn tsv(functions: &[Disassembled]) -> Vec<u8> {
    let mut text = b"function\tobject\taddress\tself\tinstruction\tpath\tline\n".to_vec();
    for disassembled in functions {
        for line in &disassembled.lines {
            let instruction = disassembled.instruction(*line);
            let function = &disassembled.function;
            push_field(&utf8(&function.name), &mut text);
            text.push(b'\t');
            push_field(&utf8(function.file.as_os_str().as_encoded_bytes()), &mut text);
            let (address, own) = (instruction.address, line.weights.self_weight);
            text.extend_from_slice(format!("\t{address:#x}\t{own}\t").as_bytes());
            push_field(&utf8(&instruction.text), &mut text);
            text.push(b'\t');
            push_field(&utf8(&instruction.path), &mut text);
            text.extend_from_slice(format!("\t{}\n", instruction.line).as_bytes());
        }
    }
    text
}
