//! The lines that `bpftrace -f json` prints.
//!
//! ```text
//! {"type": "map", "data": {"@": {"\n    vfs_read+187\n,\n    main+267\n,demo": 3}}}
//! ```

use std::fmt;

use bstr::ByteSlice;
use common::Result;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::text::Text;
use crate::format::Head;
use crate::read::byte_string::ByteString;
use crate::read::json::Outline;
use crate::samples::Samples;

/// A message, which is one line.
#[derive(Deserialize)]
struct Message {
    r#type: String,
    #[serde(default)]
    data: Data,
}

/// The value of `"data"`.
#[derive(Default)]
enum Data {
    Number(u64),
    Text(String),
    Map(Vec<(Vec<u8>, Data)>),
    /// A list, a negative number, ...
    #[default]
    Other,
}

/// The types of bpftrace's messages. The first message is mostly `attached_probes`.
const TYPES: [&str; 13] = [
    "attached_probes",
    "cat",
    "hist",
    "join",
    "lhist",
    "lost_events",
    "map",
    "printf",
    "stats",
    "syscall",
    "time",
    "tseries",
    "value",
];

/// Whether an input begins with a message of bpftrace.
pub(super) fn is_first_message(head: &Head<'_>) -> bool {
    let has_type = || {
        let line = head.first_line();
        line.find_iter("\"type\"").any(|at| {
            let value = line[at + b"\"type\"".len()..].trim_ascii_start();
            let value = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            let word = value.and_then(|value| value.strip_prefix(b"\"")?.split_once_str("\""));
            word.is_some_and(|(word, _)| TYPES.iter().any(|name| name.as_bytes() == word))
        })
    };
    let has_keys = |keys: &Outline| keys.has("type") && keys.has("data");
    head.first_line().starts_with(b"{") && head.outline().is_some_and(has_keys) && has_type()
}

/// Whether a line is a message of bpftrace.
pub(super) fn is_message(line: &[u8]) -> bool {
    line.starts_with(b"{") && ["\"type\"", "\"data\""].iter().all(|key| line.contains_str(key))
}

/// How many events were lost, if a message says so.
pub(super) fn lost_events(line: &[u8]) -> Option<u64> {
    let is_about_them = is_message(line) && line.contains_str("\"lost_events\"");
    let message = is_about_them.then(|| serde_json::from_slice::<Message>(line).ok())??;
    let Data::Map(entries) = message.data else { return None };
    entries.into_iter().find_map(|(key, value)| match value {
        Data::Number(events) if message.r#type == "lost_events" && key == b"events" => Some(events),
        _ => None,
    })
}

/// What failed, in `{"type": "helper_error", "helper": "map_update_elem", "retcode": -7}`.
#[derive(Deserialize)]
struct Failure {
    helper: String,
    retcode: i64,
}

/// Whether a line says that something failed. Such messages have no `data`.
pub(super) fn is_error(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"{\"type\": \"");
    let types = ["helper_error\"", "runtime_error\""];
    rest.is_some_and(|rest| types.iter().any(|name| rest.starts_with(name.as_bytes())))
}

/// The function of the kernel that failed, and its code.
pub(super) fn failure(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let Failure { helper, retcode } = serde_json::from_slice(line).ok()?;
    Some((helper.into_bytes(), retcode.to_string().into_bytes()))
}

/// Reads a line.
pub(super) fn read(
    number: u64,
    line: &[u8],
    text: &mut Text,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let Ok(message) = serde_json::from_slice::<Message>(line) else {
        samples.malformed(number, "expected a message of bpftrace in JSON");
        return Ok(());
    };
    match (&message.r#type[..], message.data) {
        ("map" | "stats", Data::Map(maps)) => {
            text.finish(samples)?;
            maps.into_iter().try_for_each(|(map, data)| read_map(number, &map, data, text, samples))
        }
        ("hist" | "lhist" | "tseries", _) => {
            samples.skipped.add(number, "expected numbers, found histograms: use count() or sum()");
            Ok(())
        }
        ("printf", Data::Text(printed)) => {
            let printed = printed.as_bytes();
            let lines = printed.strip_suffix(b"\n").unwrap_or(printed).split_str("\n");
            lines.into_iter().try_for_each(|line| text.line(number, line, samples))
        }
        // `attached_probes`, `time` and so on.
        _ => Ok(()),
    }
}

fn read_map(
    number: u64,
    map: &[u8],
    data: Data,
    text: &mut Text,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let Data::Map(entries) = data else {
        samples.note(format_args!("map {} has no stacks, it is left out", map.as_bstr()));
        return Ok(());
    };
    for (key, value) in entries {
        let weight = match value {
            Data::Number(weight) => Some(weight),
            // `{"count": 4, "average": 1, "total": 4}`
            Data::Map(stats) => stats.iter().find_map(|(name, value)| match value {
                Data::Number(total) if name == b"total" => Some(*total),
                _ => None,
            }),
            _ => None,
        };
        let Some(weight) = weight else {
            samples.skipped.add(number, "expected a number: use count() or sum()");
            continue;
        };
        text.json_key(&key);
        text.add(map, weight, samples)?;
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(AnyData)
    }
}

struct AnyData;

impl<'de> Visitor<'de> for AnyData {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what bpftrace prints")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Data, E> {
        Ok(Data::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Data, E> {
        Ok(Data::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Data, E> {
        Ok(Data::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Data, E> {
        Ok(Data::Other)
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
        while list.next_element::<Data>()?.is_some() {}
        Ok(Data::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Data, A::Error> {
        let mut entries = Vec::new();
        while let Some((ByteString(key), value)) = map.next_entry()? {
            entries.push((key, value));
        }
        Ok(Data::Map(entries))
    }
}
