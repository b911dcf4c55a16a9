//! Prints the samples of a perf.data file: command, process and thread, time and event, then
//! the addresses of its stack, the function that was running first, with the files they are
//! mapped from.
//!
//! ```sh
//! cargo run --example print_samples -- perf.data
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};

use bstr::ByteSlice;
use stack_perf_data::{Processes, Record, Recording, Unwinder};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected a perf.data file")?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut processes, mut files) = (Processes::new(), Vec::new());
    let (mut unwinder, mut stack) = (Unwinder::new(), Vec::new());
    let summary = Recording::from_file(File::open(path)?)?.read(|record| -> io::Result<()> {
        processes.apply(&record, |map| {
            files.push(map.path.to_vec());
            files.len() - 1
        });
        let Record::Sample(sample) = record else { return Ok(()) };
        let (pid, tid) = (sample.pid.unwrap_or(0), sample.tid.unwrap_or(0));
        let seconds = sample.time.unwrap_or(0) as f64 / 1e9;
        let (comm, event) = (processes.name(tid).as_bstr(), sample.event.name().as_bstr());
        writeln!(out, "{comm} {pid}/{tid} {seconds:.6}: {event}")?;
        unwinder.unwind(&sample, &processes, &mut (), &mut stack);
        for frame in &stack {
            let file = frame.mapped.map_or(&b"[unknown]"[..], |(file, _)| &files[file]);
            writeln!(out, "    {:#x} {}", frame.address, file.as_bstr())?;
        }
        Ok(())
    })?;
    out.flush()?;
    eprintln!("{} samples, {} lost", summary.samples, summary.lost());
    summary.error.map_or(Ok(()), |error| Err(error.into()))
}
