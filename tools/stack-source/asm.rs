//! The instructions of functions: what each weighs itself, and the line it is compiled from.

mod disassembly;
mod objects;
mod table;

use std::path::PathBuf;

use common::io::{Screen, Total};
use common::numbers::{Unit, share};
use common::{Result, Status, hints::NO_WEIGHT, pipe::Pipe, stacks::FrameWeights};
use regex_automata::meta::Regex;

use crate::count::Line;
use crate::heat::Heat;
use crate::text::Style;
use crate::{Args, CONTEXT, listing};
use common::sources::Sources;
use disassembly::{Instruction, instructions};
use objects::{Function, Objects};

/// The message if no line has the labels.
const NO_LABELS: &str =
    "--asm needs labels: 'stack-parse --labels addr,object,build_id' writes them";

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct AsmArgs {
    /// Show the instructions of functions, of lines with the labels addr, object and build_id
    #[arg(long, conflicts_with_all = ["path", "markdown", "json"])]
    pub(crate) asm: bool,

    /// With --asm, how to disassemble, as objdump has it: intel
    #[arg(short = 'M', long, value_name = "OPTIONS", requires = "asm")]
    disassembler_options: Option<String>,

    /// With --asm, read every file of the recorded machine below DIR
    #[arg(long, value_name = "DIR", requires = "asm")]
    symfs: Option<PathBuf>,
}

/// A function and its instructions.
struct Disassembled {
    function: Function,
    instructions: Vec<Instruction>,
    /// Those that weigh something; their numbers count the instructions from 1.
    lines: Vec<Line>,
    /// What these weigh.
    weight: u64,
}

/// Shows the instructions of the functions that match, or else of the heaviest.
pub(crate) fn show(args: &Args, pattern: Option<&Regex>, pipe: &mut Pipe) -> Result<Status> {
    let mut objects = Objects::default();
    let total = args.sum(pipe, |line| objects.add(line))?;
    if total == 0 || objects.is_empty() {
        pipe.note(if total == 0 { NO_WEIGHT } else { NO_LABELS });
        return Ok(Status::Nothing);
    }
    let (mut functions, missing) = objects.into_functions(args.asm.symfs.as_deref());
    missing.into_iter().for_each(|missing| pipe.note(missing));
    functions.retain(|function| pattern.is_none_or(|it| it.is_match(&function.name)));
    if functions.is_empty() {
        pipe.note("no function matches");
        return Ok(Status::Nothing);
    }
    let candidates = functions.len();
    functions.truncate(args.most(pattern));
    let options = args.asm.disassembler_options.as_deref();
    let disassemble = |function| Disassembled::of(function, options);
    let functions = functions.into_iter().map(disassemble).collect::<Result<Vec<_>>>()?;
    let functions: Vec<_> = functions.into_iter().filter(|it| !it.lines.is_empty()).collect();
    let mut shown = Total::default();
    functions.iter().for_each(|it| shown += it.weight);
    let text = match args.tsv {
        true => table::tsv(&functions),
        false => listing_of(&functions, candidates, args, total, pipe).into_bytes(),
    };
    pipe.write_lines(&text, shown)?;
    pipe.count_rest_as_dropped();
    Ok(pipe.status())
}

/// The functions, each with a table below its heading, and their share of the whole.
fn listing_of(
    functions: &[Disassembled],
    candidates: usize,
    args: &Args,
    total: u64,
    pipe: &Pipe,
) -> String {
    let mut sources = Sources::new(args.sources.clone());
    let instructions = functions.iter().flat_map(|function| &function.instructions);
    instructions.for_each(|instruction| sources.look_for(&instruction.path));
    sources.hints().into_iter().for_each(|hint| pipe.note(hint));
    let screen = Screen::of_stdout();
    let weights = functions.iter().flat_map(|function| &function.lines).map(|line| line.weights);
    let heat = args.color.is_wanted().then(|| Heat::of(weights));
    let unit = Unit::named(&args.unit_name(pipe).unwrap_or_default());
    let style = Style { unit: &unit, word: "self", whole: total, screen: &screen, heat };
    let mut text = String::new();
    for disassembled in functions {
        let Disassembled { function, instructions, lines, weight } = disassembled;
        let weights = format!("self {} ({})", unit.number(*weight), share(*weight, total));
        let object = function.file.as_os_str().as_encoded_bytes();
        let heading = style.heading(&function.name, object, &weights);
        let last = Some(instructions.len() as u32);
        let rows = listing::rows(lines, last, args.context.unwrap_or(CONTEXT));
        let table = table::table(&style, &rows, disassembled, &sources);
        text.push_str(&format!("{heading}\n{table}\n"));
    }
    let own = functions.iter().map(|it| it.weight).sum();
    text + &style.foot([functions.len(), candidates], "functions", own)
}

impl Disassembled {
    /// # Errors
    ///
    /// Those of [`instructions`].
    fn of(function: Function, options: Option<&str>) -> Result<Disassembled> {
        let instructions = instructions(&function.file, function.addresses.clone(), options)?;
        let mut lines: Vec<Line> = Vec::new();
        for (&address, &weight) in &function.weights {
            let number = instructions.partition_point(|it| it.address <= address) as u32;
            let weights = FrameWeights { self_weight: weight, total: weight };
            // An address before all instructions is not code, whatever a label says.
            if number == 0 {
                continue;
            }
            match lines.last_mut().filter(|line| line.number == number) {
                Some(line) => line.weights.self_weight += weight,
                None => lines.push(Line { number, weights }),
            }
        }
        let weight = lines.iter().map(|line| line.weights.self_weight).sum();
        Ok(Disassembled { function, instructions, lines, weight })
    }

    /// The instruction that a line of the listing stands for.
    fn instruction(&self, line: Line) -> &Instruction {
        &self.instructions[line.number as usize - 1]
    }
}
