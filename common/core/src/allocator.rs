//! The allocator of the tools on Linux.
//!
//! That of musl locks for each block. That of glibc asks the system for every 4 kB that a thread
//! needs: a small recording took 3,379 calls of mprotect.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
