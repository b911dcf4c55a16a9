//! Links the programs that are tested at a fixed address: the tests start one over 40,000 times. At an
//! address that the kernel chooses, the loader first writes 35,000 pointers of stack-parse, so the
//! kernel copies 160 pages: 0.7 ms of a processor, of 2.6.

fn main() {
    println!("cargo::rerun-if-changed=tests/build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    let is_of_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("PROFILE", "debug") && is_of_linux && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
