//! The JSON of `jcmd PID Thread.dump_to_file -format=json`.
//!
//! ```text
//! {"threadDump": {"processId": "12345", "time": "2026-11-20T19:31:20.123456Z",
//!   "threadContainers": [
//!     {"container": "<root>", "parent": null, "owner": null, "threads": [
//!        {"tid": "1", "name": "main", "state": "RUNNABLE",
//!         "stack": ["java.base\\/java.lang.Thread.sleep(Thread.java:509)",..]},..]},..]}}
//! ```

use common::{Result, io::Input};

use super::thread::Thread;
use super::{Dumps, FORMAT};
use crate::read::dates::instant;
use crate::read::json::Json;
use crate::samples::Samples;

/// Reads all dumps of an input.
pub(super) fn read(input: &mut Input, dumps: &mut Dumps, samples: &mut Samples<'_>) -> Result<()> {
    let mut json = Json::new(input);
    while json.next_document()? {
        if !json.begin_object()? {
            return Err(json.unexpected("a dump of threads"));
        }
        while let Some(key) = json.next_key()? {
            if key == b"threadDump" && json.begin_object()? {
                read_dump(&mut json, dumps, samples)?;
            }
        }
    }
    Ok(())
}

/// Reads a dump. Its threads are kept until its end, as its time may come after them.
fn read_dump(
    json: &mut Json<&mut Input>,
    dumps: &mut Dumps,
    samples: &mut Samples<'_>,
) -> Result<()> {
    let (mut threads, mut time) = (Vec::new(), None);
    dumps.pid = None;
    let read = read_keys(json, &mut time, &mut dumps.pid, &mut threads);
    if let Some(time) = time {
        dumps.time = time;
    }
    for DumpedThread { thread, calls, is_virtual } in threads {
        if is_virtual && samples.wants.labels() {
            dumps.labels.add(FORMAT.name, b"virtual", b"true");
        }
        dumps.thread = Some(thread);
        calls.iter().for_each(|call| dumps.frame(call, samples));
        dumps.end_thread(samples)?;
    }
    read
}

/// A thread, and its calls, leaf first.
struct DumpedThread {
    thread: Thread,
    calls: Vec<Vec<u8>>,
    is_virtual: bool,
}

fn read_keys(
    json: &mut Json<&mut Input>,
    time: &mut Option<Option<u64>>,
    pid: &mut Option<Vec<u8>>,
    threads: &mut Vec<DumpedThread>,
) -> Result<()> {
    while let Some(key) = json.next_key()? {
        match key {
            b"time" => *time = Some(json.text()?.and_then(instant)),
            b"processId" => *pid = json.number()?.map(<[u8]>::to_vec),
            b"threadContainers" => json.for_each(|json| {
                json.enter_object()?;
                while let Some(key) = json.next_key()? {
                    if key == b"threads" {
                        json.for_each(|json| read_thread(json, threads))?;
                    }
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    Ok(())
}

fn read_thread(json: &mut Json<&mut Input>, threads: &mut Vec<DumpedThread>) -> Result<()> {
    let (mut number, mut name, mut state) = (Vec::new(), Vec::new(), None);
    let mut is_virtual = false;
    let mut calls: Vec<Vec<u8>> = Vec::new();
    if !json.begin_object()? {
        return Ok(());
    }
    while let Some(key) = json.next_key()? {
        match key {
            b"tid" => number = json.number()?.unwrap_or_default().to_vec(),
            b"name" => name = json.text()?.unwrap_or_default().to_vec(),
            b"state" => state = json.text()?.map(<[u8]>::to_vec),
            // It is written only if it is true.
            b"virtual" => is_virtual = true,
            b"stack" => json.read_texts(&mut calls)?,
            _ => {}
        }
    }
    let thread = Thread::in_file(&number, &name, is_virtual, state.as_deref());
    threads.push(DumpedThread { thread, calls, is_virtual });
    Ok(())
}
