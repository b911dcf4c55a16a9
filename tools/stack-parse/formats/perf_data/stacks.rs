//! The stacks of samples, as places in object files.

use symbolize::Objects;

use super::places::{PlaceId, Places};
use super::process::{Maps, Processes};
use super::sample::{Mode, RawSample, context};
use super::unwind::{Code, End, Machine, Registers, Tables, Unwinder};
use crate::samples::Samples;

/// Finds the stacks of samples.
pub(super) struct Stacks {
    machine: Machine,
    unwinder: Unwinder,
    /// By the number of the object.
    tables: Vec<Option<&'static Tables>>,
    /// What was unwound of one sample.
    unwound: Vec<u64>,
    counts: Counts,
}

/// How many samples had a part of the stack only.
#[derive(Default)]
struct Counts {
    dumped: u64,
    truncated: u64,
    other_registers: u64,
    lacking: u64,
}

impl Stacks {
    pub(super) fn new(machine: Machine) -> Stacks {
        Stacks {
            machine,
            unwinder: Unwinder::new(machine),
            tables: Vec::new(),
            unwound: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Appends the places of a sample's stack to `out`, leaf first.
    pub(super) fn locate(
        &mut self,
        sample: &RawSample<'_>,
        processes: &Processes,
        objects: &mut Objects,
        places: &mut Places,
        out: &mut Vec<PlaceId>,
    ) {
        let start = out.len();
        let user = processes.maps(sample.pid.unwrap_or_default());
        let mut finder = Finder { time: sample.time, objects, places };
        let of_ip = if sample.mode == Mode::Kernel { processes.kernel() } else { user };
        let mut maps = Some(of_ip);
        let mut chain = sample.chain.iter();
        while let Some(address) = chain.next() {
            match address {
                context::KERNEL => maps = Some(processes.kernel()),
                context::USER => maps = Some(user),
                // What follows names the record that had the addresses.
                context::USER_DEFERRED => chain.next().map_or((), |_| ()),
                // Of guests and hypervisors no maps are known.
                context::FIRST.. => maps = None,
                _ => out.push(finder.place(maps, address)),
            }
        }
        self.counts.lacking += u64::from(sample.lacks_user_chain);
        if let (Some(registers), Some(dump)) = (sample.registers, sample.stack) {
            let values = registers.values.iter();
            match Registers::from_perf(self.machine, registers.mask, values) {
                Some(registers_of_64) if !registers.is_32_bit => {
                    self.unwind(&registers_of_64, dump, user, &mut finder, out);
                }
                _ => self.counts.other_registers += 1,
            }
        }
        // Without call chains, or where the one of the program cannot be had.
        if out.len() == start
            && let Some(ip) = sample.ip
        {
            out.push(finder.place(Some(of_ip), ip));
        }
    }

    fn unwind(
        &mut self,
        registers: &Registers,
        dump: &[u8],
        maps: &Maps,
        finder: &mut Finder<'_>,
        out: &mut Vec<PlaceId>,
    ) {
        let Stacks { unwinder, tables, unwound, counts, .. } = self;
        unwound.clear();
        let mut find = |address| code(address, maps, finder.objects, tables);
        let end = unwinder.unwind(registers, dump, &mut find, unwound);
        out.extend(unwound.iter().map(|&address| finder.place(Some(maps), address)));
        counts.dumped += 1;
        if end == End::Truncated {
            counts.truncated += 1;
            out.push(Places::TRUNCATED);
        }
    }

    /// Says which stacks are not whole.
    pub(super) fn report(&self, samples: &mut Samples<'_>) {
        let Counts { dumped, truncated, other_registers, lacking } = self.counts;
        if truncated > 0 {
            samples.note(format_args!(
                "{:.1} % of the stacks are longer than what was recorded of them and end in \
                 [truncated]: record with --call-graph dwarf,65528",
                100.0 * truncated as f64 / dumped as f64
            ));
        }
        if other_registers > 0 {
            samples.note(format_args!(
                "{other_registers} stacks of programs of 32 bits or for another machine are not \
                 unwound: record with frame pointers"
            ));
        }
        if lacking > 0 {
            samples.note(format_args!(
                "{lacking} samples lack the program's part of their call chain, which was to be \
                 recorded later"
            ));
        }
    }
}

/// Finds places for addresses of one sample.
struct Finder<'a> {
    time: Option<u64>,
    objects: &'a mut Objects,
    places: &'a mut Places,
}

impl Finder<'_> {
    #[inline]
    fn place(&mut self, maps: Option<&Maps>, address: u64) -> PlaceId {
        let Some(map) = maps.and_then(|maps| maps.find(address)) else { return Places::UNKNOWN };
        let offset = map.offset_of(address);
        self.places.intern(self.objects.locate(map.object, address, offset, self.time))
    }
}

/// What unwinding has to know of the code at an address.
fn code(
    address: u64,
    maps: &Maps,
    objects: &mut Objects,
    tables: &mut Vec<Option<&'static Tables>>,
) -> Code<'static> {
    let Some(map) = maps.find(address) else { return Code::Unmapped };
    let index = map.object.index();
    if tables.len() <= index {
        tables.resize(index + 1, None);
    }
    let Some(elf) = objects.elf(map.object) else { return Code::Jit };
    let Some(in_file) = elf.address_at(map.offset_of(address)) else { return Code::Jit };
    // Wanted to the end of the program, as the files themselves.
    let tables = tables[index]
        .get_or_insert_with(|| &*Box::leak(Box::new(Tables::new(elf.bytes, elf.debug))));
    Code::File { tables, bias: address.wrapping_sub(in_file) }
}
