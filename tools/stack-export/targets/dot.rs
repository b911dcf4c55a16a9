//! A call graph for Graphviz: <https://graphviz.org/doc/info/lang.html>.
//!
//! The more a function spends, the larger and darker it is.

use std::io::{self, Write};

use common::{io::Output, numbers::share, stacks::FrameWeights};

use crate::calls::{Calls, FunctionId};
use crate::event::ExportedEvent;
use crate::functions::{Functions, NamedMarks};
use crate::profile::Profile;
use crate::target::{Target, Writer};

pub(super) const TARGET: Target =
    Target::plain("dot", "A call graph for Graphviz", Writer::OneEvent(write));

fn write(profile: &Profile, out: &mut Output) -> io::Result<()> {
    let event = profile.only_event();
    let functions = Functions::of(profile, NamedMarks::None);
    let graph = Calls::of(profile, event, &functions);
    let total = event.unit().words(event.total);
    let trust = profile.trust.iter().map(|trust| format!("\n{trust}")).collect::<String>();
    let label = format!("{}, {total} in all{trust}", event.label_with_unit());
    writeln!(out, "digraph stacks {{\n    label={}; labelloc=t;", quoted(&label))?;
    writeln!(out, "    node [shape=box, style=filled];")?;
    for (&function, &weights) in &graph.functions {
        write_function(&functions, event, function, weights, out)?;
    }
    for ((from, to), weight) in graph.by_functions() {
        let label = quoted(&event.unit().number(weight));
        let tooltip = quoted(&weight.to_string());
        let width = 1.0 + 4.0 * part(weight, event);
        let style = format!("label={label}, tooltip={tooltip}, penwidth={width:.2}");
        writeln!(out, "    n{from} -> n{to} [{style}];")?;
    }
    writeln!(out, "}}")
}

fn write_function(
    functions: &Functions<'_>,
    event: &ExportedEvent,
    function: FunctionId,
    FrameWeights { self_weight, total }: FrameWeights,
    out: &mut Output,
) -> io::Result<()> {
    let name = functions.list[function as usize].text();
    let said = |weight| format!("{} ({})", event.unit().number(weight), share(weight, event.total));
    let label = format!("{name}\nself {}\ntotal {}", said(self_weight), said(total));
    let tooltip = format!("self {self_weight}, total {total}");
    let (label, tooltip) = (quoted(&label), quoted(&tooltip));
    let size = 9.0 + 15.0 * part(self_weight, event).sqrt();
    let saturation = part(total, event) * 0.6;
    let look = format!("fontsize={size:.1}, fillcolor=\"0.05 {saturation:.3} 1\"");
    writeln!(out, "    n{function} [label={label}, tooltip={tooltip}, {look}];")
}

fn part(weight: u64, event: &ExportedEvent) -> f64 {
    weight as f64 / event.total as f64
}

/// A text in quotes for Graphviz, where escapes such as `\N` mean something. Entities do, too, but
/// no name has a `;`.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
