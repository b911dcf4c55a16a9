//! framehop, an unwinder by other authors, finds the same callers in the programs of
//! testdata/unwind, up to the signal handler: it cannot find what a signal interrupted.
//!
//! tests/framehop.rs compares recordings of perf, which are of x86-64.

use framehop::aarch64::{CacheAarch64, PtrAuthMask, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};

use super::program::Program;
use super::snapshot::{Snapshot, UnwoundNames};
use super::{BARE, Built, aarch64};
use crate::unwind::machine::Machine;

#[test]
fn x86_64_is_unwound_as_by_framehop() {
    for options in [
        "-O2 -static -Wl,--eh-frame-hdr",
        "-O2 -static-pie -fPIE -Wl,--eh-frame-hdr",
        "-O0 -static -Wl,--eh-frame-hdr",
        "-O2 -static -Wl,--no-eh-frame-hdr",
        "-O2 -static -g -fno-asynchronous-unwind-tables",
        "-O1 -static -fno-omit-frame-pointer -fno-asynchronous-unwind-tables",
    ] {
        let built = Built::new("bare.c", &format!("-nostdlib {options}"));
        compare(&built.snapshot(), &Program::new(built.bytes()), options);
    }
}

#[test]
fn aarch64_is_unwound_as_by_framehop() {
    let (program, snapshot) = aarch64();
    compare(&snapshot, &program, "aarch64");
}

/// Compares the functions from the leaf to the signal handler.
fn compare(snapshot: &Snapshot, program: &Program, what: &str) {
    let ours = snapshot.unwind(program);
    let (handler, _) = BARE.split_once(" restore").expect("where the handler returns to");
    let handler = handler.split(' ').count();
    let theirs = framehop(snapshot, module(snapshot, program, &ours));
    let [ours, theirs] = [ours.addresses, theirs].map(|mut addresses| {
        addresses.truncate(handler);
        addresses
    });
    assert_eq!(ours, theirs, "{what}");
    assert_eq!(ours.len(), handler, "{what}");
}

/// The addresses that framehop finds; for callers, the return address minus 1.
fn framehop(snapshot: &Snapshot, module: Module<Vec<u8>>) -> Vec<u64> {
    let register = |number| snapshot.registers.get(number).expect("all are known");
    let machine = snapshot.machine;
    let [pc, sp, fp] = [machine.pc(), machine.sp(), machine.fp()].map(register);
    match machine {
        Machine::X86_64 => {
            let registers = UnwindRegsX86_64::new(pc, sp, fp);
            addresses(UnwinderX86_64::new(), CacheX86_64::new(), registers, pc, module, snapshot)
        }
        Machine::Aarch64 => {
            let mask = PtrAuthMask((1 << 48) - 1);
            let registers = UnwindRegsAarch64::new_with_ptr_auth_mask(mask, register(30), sp, fp);
            addresses(UnwinderAarch64::new(), CacheAarch64::new(), registers, pc, module, snapshot)
        }
    }
}

fn addresses<U: Unwinder<Module = Module<Vec<u8>>>>(
    mut unwinder: U,
    mut cache: U::Cache,
    registers: U::UnwindRegs,
    pc: u64,
    module: U::Module,
    snapshot: &Snapshot,
) -> Vec<u64> {
    let sp = snapshot.registers.get(snapshot.machine.sp()).expect("it is known");
    let mut read = |address: u64| {
        let offset = usize::try_from(address.checked_sub(sp).ok_or(())?).map_err(|_| ())?;
        let bytes = snapshot.dump.get(offset..).and_then(<[u8]>::first_chunk).ok_or(())?;
        Ok(u64::from_le_bytes(*bytes))
    };
    unwinder.add_module(module);
    let mut frames = unwinder.iter_frames(pc, registers, &mut cache, &mut read);
    let frames = std::iter::from_fn(|| frames.next().ok().flatten());
    frames.map(FrameAddress::address_for_lookup).collect()
}

/// The program in the form that framehop needs.
fn module(snapshot: &Snapshot, program: &Program, ours: &UnwoundNames) -> Module<Vec<u8>> {
    let sections = program.sections().expect("an executable");
    let map = snapshot.maps.find(ours.addresses[0]).expect("it is mapped");
    let code = &sections.segments[0];
    let base = map.start - map.offset + code.offset - code.address;
    let range = |(start, bytes): (u64, &[u8])| start..start + bytes.len() as u64;
    let bytes = |(_, bytes): (u64, &[u8])| bytes.to_vec();
    let info = ExplicitModuleSectionInfo {
        eh_frame_svma: sections.eh_frame.map(range),
        eh_frame: sections.eh_frame.map(bytes),
        eh_frame_hdr_svma: sections.eh_frame_header.map(range),
        eh_frame_hdr: sections.eh_frame_header.map(bytes),
        debug_frame: sections.debug_frames.first().map(|bytes| bytes.to_vec()),
        ..ExplicitModuleSectionInfo::default()
    };
    Module::new(String::new(), map.start..map.end, base, info)
}
