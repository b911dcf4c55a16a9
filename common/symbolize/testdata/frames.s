# Frame tables of OCaml 5.2 as runtime/caml/frame_descriptors.h and
# runtime/backtrace_nat.c read them: Debian's OCaml is 4.13, whose lines are in
# other bits. The functions are as flambda leaves them: two are copies from
# Stdlib.List, one has another inlined, and in one the calls of a local function
# are the most.

    .text
    .globl camlFoo.code_begin
camlFoo.code_begin:
    .globl camlFoo.run_12
    .type camlFoo.run_12, @function
camlFoo.run_12:
    call leaf
.Lcall:
    call leaf
.Lallocations:
    call leaf
.Llast_call:
    .size camlFoo.run_12, . - camlFoo.run_12

    .globl camlFoo.map_34
    .type camlFoo.map_34, @function
camlFoo.map_34:
    call leaf
.Lcall_of_copy:
    ret
    .size camlFoo.map_34, . - camlFoo.map_34

    .globl camlFoo.fun_56
    .type camlFoo.fun_56, @function
camlFoo.fun_56:
    ret
    .size camlFoo.fun_56, . - camlFoo.fun_56

    .globl camlFoo.$3b$40_78
    .type camlFoo.$3b$40_78, @function
camlFoo.$3b$40_78:
    ret
    .size camlFoo.$3b$40_78, . - camlFoo.$3b$40_78

    .globl camlFoo.fit_90
    .type camlFoo.fit_90, @function
camlFoo.fit_90:
    call leaf
.Lcall_of_local:
    call leaf
.Lsecond_call_of_local:
    call leaf
.Lcall_of_loop:
    ret
    .size camlFoo.fit_90, . - camlFoo.fit_90

    .globl camlFoo.anon_fn_67
    .type camlFoo.anon_fn_67, @function
camlFoo.anon_fn_67:
    call leaf
.Lcall_of_anonymous_copy:
    ret
    .size camlFoo.anon_fn_67, . - camlFoo.anon_fn_67

    .globl camlFoo.entry
    .type camlFoo.entry, @function
camlFoo.entry:
    call leaf
.Lcall_of_module:
    call leaf
.Lcall_of_nowhere:
    ret
    .size camlFoo.entry, . - camlFoo.entry
    .globl camlFoo.code_end
camlFoo.code_end:

    .globl camlBar.code_begin
camlBar.code_begin:
    nop
    .globl camlBar.fun_9
    .type camlBar.fun_9, @function
camlBar.fun_9:
    ret
    .size camlBar.fun_9, . - camlBar.fun_9

    .data
    .globl caml_frametable
    .balign 8
caml_frametable:
    .quad system_table, foo_table, 0

system_table:
    .quad 1
    .quad leaf
    .short 0xffff, 0            # a return to C: nothing follows
    .balign 8

foo_table:
    .quad 10
# A call with one live value, inlined from another file.
    .quad .Lcall
    .short 16 + 1, 1, 8
    .balign 4
    .long .Lcall_place - .
    .balign 8
# A group of two allocations; the first has no place.
    .quad .Lallocations
    .short 16 + 2 + 1, 0
    .byte 2, 1, 1
    .balign 4
    .long 0
    .long .Lallocation_place - .
    .balign 8
# The last instruction of the function; its line does not fit into 12 bits.
    .quad .Llast_call
    .short 16 + 1, 2, 8, 16
    .balign 4
    .long .Llong_place - .
    .balign 8
    .quad .Lcall_of_copy
    .short 16 + 1, 0
    .balign 4
    .long .Lcopy_place - .
    .balign 8
    .quad .Lcall_of_local
    .short 16 + 1, 0
    .balign 4
    .long .Llocal_place - .
    .balign 8
    .quad .Lsecond_call_of_local
    .short 16 + 1, 0
    .balign 4
    .long .Llocal_place - .
    .balign 8
    .quad .Lcall_of_loop
    .short 16 + 1, 0
    .balign 4
    .long .Lloop_place - .
    .balign 8
    .quad .Lcall_of_anonymous_copy
    .short 16 + 1, 0
    .balign 4
    .long .Lanonymous_place - .
    .balign 8
    .quad .Lcall_of_module
    .short 16 + 1, 0
    .balign 4
    .long .Lmodule_place - .
    .balign 8
    .quad .Lcall_of_nowhere
    .short 16 + 1, 0
    .balign 4
    .long .Lnowhere_place - .
    .balign 8

.Lcall_place:
    .long .Linlined - .Lcall_place + 1      # another place follows
    .long 7 << 19
.Louter_place:
    .long .Lrun - .Louter_place + (5 << 26) # 6 bits of columns
    .long 1000 << 19
.Lallocation_place:
    .long .Lrun - .Lallocation_place + 2    # a raise
    .long 900 << 19 | 3 << 5
.Llong_place:
    .long .Llong_run - .Llong_place
    .long 1 << 31 | 5000 << 12 | 77
.Lcopy_place:
    .long .Lmap - .Lcopy_place
    .long 92 << 19
.Llocal_place:
    .long .Lfits - .Llocal_place
    .long 20 << 19
.Lloop_place:
    .long .Lfit_loop - .Lloop_place
    .long 30 << 19
.Lanonymous_place:
    .long .Literated - .Lanonymous_place
    .long 112 << 19
.Lmodule_place:
    .long .Lmodule - .Lmodule_place
    .long 40 << 19
# Code that the compiler made up is in no line.
.Lnowhere_place:
    .long .Lnowhere - .Lnowhere_place
    .long 0

    .balign 4
.Linlined:
    .long .Lbar_ml - .
    .asciz "Foo__Bar.(>>=)"
    .balign 4
.Lrun:
    .long .Lfoo_ml - .
    .asciz "Foo.Make.run"
    .balign 4
.Llong_run:
    .long .Lfoo_ml - .
    .short 1, 2
    .long 3
    .asciz "Foo.Make.run"
    .balign 4
.Lmap:
    .long .Llist_ml - .
    .asciz "Stdlib__List.map"
    .balign 4
.Lfits:
    .long .Lfoo_ml - .
    .asciz "Foo.Rows.fits"
    .balign 4
.Lfit_loop:
    .long .Lfoo_ml - .
    .asciz "Foo.Rows.fit.loop"
    .balign 4
.Literated:
    .long .Llist_ml - .
    .asciz "Stdlib__List.iter.(fun)"
    .balign 4
.Lmodule:
    .long .Lfoo_ml - .
    .asciz "Foo.Make"
    .balign 4
.Lnowhere:
    .long .Lnone - .
    .asciz "Foo"
.Lfoo_ml:
    .asciz "foo.ml"
.Lbar_ml:
    .asciz "lib/bar.ml"
.Lnone:
    .asciz "_none_"
.Llist_ml:
    .asciz "list.ml"

    .section .note.GNU-stack, "", @progbits
