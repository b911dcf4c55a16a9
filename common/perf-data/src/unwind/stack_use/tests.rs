use proptest::prelude::*;

use super::*;

const RBX: usize = 0;

/// The depths before the instructions that are reached, by their offsets.
fn depths(code: &[u8]) -> Vec<(usize, Option<i64>)> {
    let StackUse(reached) = follow(code, 0x1000);
    reached.iter().map(|(offset, reached)| (*offset, reached.before.depth)).collect()
}

#[test]
fn pushes_calls_and_saved_registers_are_followed() {
    // push %rbx; sub $32, %rsp; mov $1, %ebx; call; add $32, %rsp; pop %rbx; ret
    let code = b"\x53\x48\x83\xec\x20\xbb\x01\0\0\0\xe8\0\x10\0\0\x48\x83\xc4\x20\x5b\xc3";
    let StackUse(reached) = follow(code, 0x1000);
    let found: Vec<_> = reached
        .iter()
        .map(|(offset, it)| (*offset, it.before.depth, it.before.kept[RBX]))
        .collect();
    let saved = Kept::Below(16);
    assert_eq!(
        found,
        [
            (0, Some(8), Kept::InRegister),
            (1, Some(16), saved),
            (5, Some(48), saved),
            (10, Some(48), saved),
            (15, Some(48), saved),
            (19, Some(16), saved),
            (20, Some(8), Kept::InRegister),
        ]
    );
}

#[test]
fn a_frame_pointer_holds_where_the_stack_pointer_is_not_known() {
    // push %rbp; mov %rsp, %rbp; push %rbx; and $-32, %rsp; call; lea -8(%rbp), %rsp; pop %rbx;
    // pop %rbp; ret
    let code = b"\x55\x48\x89\xe5\x53\x48\x83\xe4\xe0\xe8\0\x10\0\0\x48\x8d\x65\xf8\x5b\x5d\xc3";
    let states = follow(code, 0x1000);
    let at_call = states.before(9).expect("it is reached");
    // The byte before the one that a call returns to is in the call.
    assert_eq!(states.before(13), Some(at_call));
    assert_eq!((at_call.depth, at_call.frame), (None, Some(16)));
    assert_eq!(at_call.kept[..2], [Kept::Below(24), Kept::Below(16)]);
    let at_return = states.before(20).expect("it is reached");
    assert_eq!((at_return.depth, at_return.frame), (Some(8), None));
    assert_eq!(at_return.kept, [Kept::InRegister; KEPT.len()]);
    // The same by leave, and by the prologue that Go had: sub $24, %rsp; mov %rbp, 16(%rsp);
    // lea 16(%rsp), %rbp; call; mov 16(%rsp), %rbp; add $24, %rsp; ret
    assert_eq!(depths(b"\x55\x48\x89\xe5\x48\x83\xe4\xe0\xc9\xc3").last(), Some(&(9, Some(8))));
    let go = b"\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10\xe8\0\x10\0\0\
        \x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3";
    let states = follow(go, 0x1000);
    assert_eq!(
        (
            states.before(14).expect("it is reached").frame,
            states.before(14).expect("it is reached").kept[1]
        ),
        (Some(16), Kept::Below(16))
    );
    assert_eq!(states.before(28).expect("it is reached").kept[1], Kept::InRegister);
}

#[test]
fn branches_meet() {
    // test %edi, %edi; je 1f; push %rax; call; pop %rcx; 1: ret
    let code = b"\x85\xff\x74\x07\x50\xe8\0\x10\0\0\x59\xc3";
    let expected = [(0, 8), (2, 8), (4, 8), (5, 16), (10, 16), (11, 8)];
    assert_eq!(depths(code), expected.map(|(offset, depth)| (offset, Some(depth))));
}

#[test]
fn code_that_a_table_leads_to_has_the_depth_of_the_jump() {
    // push %rax; jmp *(%rdx,%rdi,8); pop %rcx; ret; pop %rcx; ret
    let code = b"\x50\xff\x24\xfa\x59\xc3\x59\xc3";
    let expected = [(0, 8), (1, 16), (4, 16), (5, 8), (6, 16), (7, 8)];
    assert_eq!(depths(code), expected.map(|(offset, depth)| (offset, Some(depth))));
}

#[test]
fn what_is_not_understood_is_not_known() {
    for (what, code) in [
        ("push %rbx; ret", &b"\x53\xc3"[..]),
        ("jmp *%rax, as an interpreter does", b"\xff\xe0"),
        ("push %rax; jmp elsewhere", b"\x50\xe9\0\x10\0\0"),
        ("no instruction", b"\x06"),
        ("cut in the middle", b"\x48\x83"),
    ] {
        assert_eq!(depths(code), [], "{what}");
    }
    // Nothing leads to what follows: xor %eax, %eax; ret; push %rbx; ret
    let states = follow(b"\x31\xc0\xc3\x53\xc3", 0x1000);
    assert!(states.before(2).is_some() && states.before(3).is_none());
    // A function that ends in a call which does not return: alone, and before the end of a branch.
    let code = b"\x85\xff\x74\x06\x50\xe8\0\x10\0\0\xc3";
    let expected = [(0, 8), (2, 8), (4, 8), (5, 16), (10, 8)];
    assert_eq!(depths(code), expected.map(|(offset, depth)| (offset, Some(depth))));
    assert_eq!(depths(b"\x50\xe8\0\x10\0\0"), [(0, Some(8)), (1, Some(16))]);
}

proptest! {
    #[test]
    fn no_code_panics(code in proptest::collection::vec(any::<u8>(), 0..200), address: u64) {
        follow(&code, address);
    }
}
