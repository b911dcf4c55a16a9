	.file	"gp.c"
	.text
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"%ld\n"
	.text
	.globl	main
	.type	main, @function
main:
.LFB23:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movl	$10, %eax
	cmpl	$1, %edi
	jg	.L9
.L2:
	movl	$0, %edx
	movl	$0, %esi
.L4:
	movq	%rdx, %rcx
	imulq	%rdx, %rcx
	addq	%rcx, %rsi
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.L4
.L3:
	leaq	.LC0(%rip), %rdi
	movl	$0, %eax
	call	printf@PLT
	movl	$0, %eax
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L9:
	.cfi_restore_state
	movq	8(%rsi), %rdi
	movl	$10, %edx
	movl	$0, %esi
	call	strtol@PLT
	testq	%rax, %rax
	jg	.L2
	movl	$0, %esi
	jmp	.L3
	.cfi_endproc
.LFE23:
	.size	main, .-main
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
