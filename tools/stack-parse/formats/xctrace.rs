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
mod row;

use std::io::BufReader;

use common::{Error, Input, Result};
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::format::{Format, Head};
use crate::options::Options;
use crate::read::xml::push_entity;
use crate::samples::{Root, Samples, Weighs};
use element::Element;
use row::Table;

pub(super) const FORMAT: Format = Format {
    name: "xctrace",
    about: "Samples of Instruments, exported by xctrace as XML",
    detect,
    parse,
    root: Root::Comm,
    weighs: Weighs::Value,
};

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;

fn detect(head: &Head<'_>) -> bool {
    head.bytes.trim_ascii_start().starts_with(b"<")
        && memchr::memmem::find(head.bytes, b"<trace-query-result").is_some()
}

fn parse(input: &mut Input, _: &Options, samples: &mut Samples<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let unknown = |place: u64, what: &str| {
        let what = format!("byte {place}: expected XML of xctrace: {what}");
        Error::Unknown { name: name.clone(), what }
    };
    let mut reader = Reader::from_reader(BufReader::with_capacity(BLOCK, input));
    reader.config_mut().check_end_names = false;
    let mut table = Table::default();
    let (mut buffer, mut text) = (Vec::new(), Vec::new());
    let mut depth = 0u64;
    loop {
        buffer.clear();
        let place = reader.buffer_position();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => {
                depth += 1;
                table.open(&Element::new(&tag));
            }
            Ok(Event::Empty(tag)) => {
                table.open(&Element::new(&tag));
                table.close(tag.name().as_ref(), samples)?;
            }
            Ok(Event::End(tag)) => {
                depth = depth.saturating_sub(1);
                table.close(tag.name().as_ref(), samples)?;
            }
            Ok(Event::Text(text)) => table.text(&text),
            Ok(Event::GeneralRef(entity)) => {
                text.clear();
                push_entity(&entity, &mut text);
                table.text(&text);
            }
            Ok(Event::Eof) if depth > 0 => return Err(unknown(place, "the input ends before it")),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(quick_xml::Error::Io(error)) => {
                let source = std::io::Error::new(error.kind(), error.to_string());
                return Err(Error::Input { name: name.clone(), source });
            }
            Err(error) => return Err(unknown(place, &error.to_string())),
        }
    }
    table.finish(samples);
    Ok(())
}
