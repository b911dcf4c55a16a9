//! Names as people say them: `std::vector<int>::push_back(int&&)`, not
//! `std::vector<int, std::allocator<int> >::push_back(int&&)`.
//!
//! The names of functions say all of their types, with each argument that nobody wrote. What is left
//! out here is what the language adds by itself. Two functions get the same name only if they differ in
//! nothing but a namespace or a tag for versions of a library, the type of a number or of the result,
//! or the shape of a generic function of Go.

mod cpp;
mod defaults;
mod go;
mod java;
mod return_type;
mod rust;
#[cfg(test)]
mod tests;
mod words;

pub use cpp::short_cpp;
pub(super) use rust::is_std_type;
pub use rust::short_rust;
pub use words::is_word;

/// The name of a function of any language, as people say it; `None` if that is the name as it is.
#[must_use]
pub fn short_name(name: &[u8]) -> Option<Vec<u8>> {
    let mut short = None;
    for shorten in [short_cpp, short_rust, short_others] {
        short = shorten(short.as_deref().unwrap_or(name)).or(short);
    }
    short
}

/// The name of a function of Go or Java as their own tools print it; `None` if that is the name as it
/// is.
#[must_use]
pub fn short_others(name: &[u8]) -> Option<Vec<u8>> {
    go::short_go(name).or_else(|| java::short_java(name))
}
