//! The allocator of the tools that are linked with musl, whose own locks for each block.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
