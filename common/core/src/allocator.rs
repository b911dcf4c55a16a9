//! The allocator of the tools that are linked with musl: musl's own takes a lock for each block of
//! memory.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
