//! Prints the samples of a perf.data file with the names of their functions, innermost first,
//! as `perf script` does.
//!
//! ```text
//! cargo run --example perf_samples -- perf.data
//! ```
//!
//! In a recording with `--call-graph dwarf` it follows frame pointers only: to unwind with the
//! tables of executables, implement `UnwindFiles` and pass it to `Unwinder::unwind`.

use std::error::Error;
use std::fs::File;

use stack_perf_data::{Processes, Record, Recording, Unwinder};
use symbolize::{Detail, MappedObject, Objects, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected a perf.data file")?;
    let (mut objects, mut processes) = (Objects::new(Options::default()), Processes::new());
    let (mut unwinder, mut stack) = (Unwinder::new(), Vec::new());
    let summary =
        Recording::from_file(File::open(path)?)?.read(|record| -> std::io::Result<()> {
            processes.apply(&record, |map| {
                let (pid, is_kernel) = ((!map.is_kernel).then_some(map.pid), map.is_kernel);
                let (path, build_id, offset) = (map.path, map.build_id, map.offset);
                objects.intern(&MappedObject {
                    path,
                    build_id,
                    pid,
                    is_kernel,
                    offset,
                    ..Default::default()
                })
            });
            let Record::Sample(sample) = record else { return Ok(()) };
            let comm = processes.name(sample.tid.unwrap_or(0)).escape_ascii();
            println!("{comm} {}: {}", sample.time.unwrap_or(0), sample.event.name().escape_ascii());
            unwinder.unwind(&sample, &processes, &mut (), &mut stack);
            for frame in &stack {
                let Some((object, offset)) = frame.mapped else { continue };
                let location = objects.locate(object, frame.address, offset, sample.time);
                let resolved =
                    objects.resolve(&[location], Detail { inlines: true, lines: true }, 1);
                for function in resolved.frames(0) {
                    println!(
                        "    {} {}",
                        function.name.escape_ascii(),
                        function.source.escape_ascii()
                    );
                }
            }
            Ok(())
        })?;
    summary.error.map_or(Ok(()), |error| Err(error.into()))
}
