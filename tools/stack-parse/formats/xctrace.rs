//! Tables of samples that `xctrace export` writes as XML:
//!
//! ```text
//! <trace-query-result><node><schema name="time-profile">...</schema>
//! <row><sample-time id="1" fmt="00:00.057.246">57246708</sample-time><thread id="2" ...>
//!   <weight id="9" fmt="1.00 ms">1000000</weight><backtrace id="10"><frame id="11" name="f"
//!   addr="0x18d3df0f2"><binary id="12" name="dyld" .../></frame>...</backtrace></row>
//! <row>...<weight ref="9"/><backtrace ref="10"/></row>
//! ```
//!
//! Every element with an `id` may later be referred to by `ref`. Exports are gigabytes:
//! rows are read one by one, and only what may be referred to is kept.

mod by_id;
mod element;
mod frames;
mod known_rows;
mod pieces;
mod row;
mod schema;
mod table;

use common::{Error, Result, io::Input};
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::xml::push_entity;
use crate::samples::{Root, Samples, Weighs};
use element::Element;
use pieces::for_each_piece;
use table::Table;

pub(super) const FORMAT: Format =
    Format::new("xctrace", "Samples of Instruments, exported by xctrace as XML", detect, parse)
        .root(&Root::Comm)
        .weighs(Weighs::Value);

fn detect(head: &Head<'_>) -> bool {
    head.bytes.trim_ascii_start().starts_with(b"<")
        && memchr::memmem::find(head.bytes, b"<trace-query-result").is_some()
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut table = Table::default();
    table.wants_labels = samples.wants.labels();
    let (mut depth, mut end) = (0u64, 0);
    let read = for_each_piece(input, |place, xml| {
        end = place + xml.len() as u64;
        if table.add_known(xml, samples)? {
            return Ok(());
        }
        let (depth_before, dangling) = (depth, table.dangling);
        read_piece(xml, &mut table, &mut depth, samples)?
            .map_err(|(at, what)| expected(&name, place + at, &what))?;
        if let Some(what) = table.refusal() {
            return Err(Error::Unknown { name: name.clone(), what });
        }
        if depth == depth_before && table.dangling == dangling {
            table.keep(xml);
        }
        Ok(())
    });
    table.finish(samples);
    read?;
    if depth > 0 { Err(expected(&name, end, "the input ends before it")) } else { Ok(()) }
}

fn expected(name: &str, place: u64, what: &str) -> Error {
    let what = format!("byte {place}: expected XML of xctrace: {what}");
    Error::Unknown { name: name.to_owned(), what }
}

/// Reads a piece of XML; the inner error says why it is not XML.
fn read_piece(
    xml: &[u8],
    table: &mut Table,
    depth: &mut u64,
    samples: &mut Samples<'_>,
) -> Result<Result<(), (u64, String)>> {
    let mut reader = Reader::from_reader(xml);
    let config = reader.config_mut();
    (config.check_end_names, config.allow_unmatched_ends) = (false, true);
    let mut text = Vec::new();
    loop {
        let place = reader.buffer_position();
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                *depth += 1;
                table.open(&Element::new(&tag));
            }
            Ok(Event::Empty(tag)) => {
                table.open(&Element::new(&tag));
                table.close(tag.name().as_ref(), samples)?;
            }
            Ok(Event::End(tag)) => {
                *depth = depth.saturating_sub(1);
                table.close(tag.name().as_ref(), samples)?;
            }
            Ok(Event::Text(text)) => table.text(&text),
            Ok(Event::GeneralRef(entity)) => {
                text.clear();
                push_entity(&entity, &mut text);
                table.text(&text);
            }
            Ok(Event::Eof) => return Ok(Ok(())),
            Ok(_) => {}
            Err(error) => return Ok(Err((place, error.to_string()))),
        }
    }
}
