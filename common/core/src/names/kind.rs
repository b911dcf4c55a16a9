//! What kind of code a frame is, by its name, and the colour for it.

use super::FrameParts;

/// What code a frame is, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeKind {
    /// `main`, `__libc_start_main`: whatever has no better mark.
    Native,
    /// `Stdlib.List.map`, `camlStdlib__List__map_12`.
    Module,
    /// `alloc::vec::Vec::push`, `std::sort`.
    Path,
    /// `caml_alloc_shr`, `[GC]`: what a language does on its own account.
    Runtime,
    /// `do_syscall_64_[k]`.
    Kernel,
    /// `LazyCompile:~handler_[j]`.
    Jit,
    /// `[unknown]`, `[libc.so.6]`: no name was found.
    Nameless,
}

impl CodeKind {
    /// The kind of code that a frame is.
    #[must_use]
    pub fn of(frame: &[u8]) -> CodeKind {
        let parts = FrameParts::of(frame);
        if parts.has_mark(b'k') {
            return CodeKind::Kernel;
        }
        if parts.has_mark(b'j') {
            return CodeKind::Jit;
        }
        let name = parts.name;
        match name {
            b"[GC]" | b"[gc]" => CodeKind::Runtime,
            [] | [b'[', .., b']'] => CodeKind::Nameless,
            _ if name.starts_with(b"caml_") => CodeKind::Runtime,
            [b'c', b'a', b'm', b'l', b'A'..=b'Z', ..] => CodeKind::Module,
            _ if name.windows(2).any(|pair| pair == b"::") => CodeKind::Path,
            [b'A'..=b'Z', rest @ ..] if rest.contains(&b'.') => CodeKind::Module,
            _ => CodeKind::Native,
        }
    }

    /// As the legend says it: what the names have in common.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            CodeKind::Native => "native",
            CodeKind::Module => "Module.function",
            CodeKind::Path => "path::function",
            CodeKind::Runtime => "runtime",
            CodeKind::Kernel => "kernel",
            CodeKind::Jit => "JIT",
            CodeKind::Nameless => "no symbol",
        }
    }

    /// The two ends of the kind's shades, all light enough for black letters.
    #[must_use]
    pub fn shades(self) -> [[u8; 3]; 2] {
        match self {
            CodeKind::Native => [[186, 214, 242], [121, 164, 212]],
            CodeKind::Module => [[255, 220, 156], [242, 154, 72]],
            CodeKind::Path => [[250, 236, 164], [226, 192, 72]],
            CodeKind::Runtime => [[176, 226, 212], [96, 178, 162]],
            CodeKind::Kernel => [[222, 200, 238], [172, 138, 202]],
            CodeKind::Jit => [[208, 232, 168], [146, 190, 92]],
            CodeKind::Nameless => [[228, 228, 228], [190, 190, 190]],
        }
    }
}

/// The colour of a frame as red, green and blue: the hue says what kind of code it
/// is, the shade sets neighbours apart; what was inlined is paler.
#[must_use]
pub fn code_color(frame: &[u8]) -> [u8; 3] {
    let [light, dark] = CodeKind::of(frame).shades();
    let parts = FrameParts::of(frame);
    let (depth, is_inlined) = (name_hash(parts.name), parts.has_mark(b'i'));
    std::array::from_fn(|index| {
        let (light, dark) = (u32::from(light[index]), u32::from(dark[index]));
        let shade = (light * (255 - depth) + dark * depth) / 255;
        (if is_inlined { (shade + 255) / 2 } else { shade }) as u8
    })
}

/// FNV-1a, as it is the same on every machine and in every year, down to 0..=255.
#[must_use]
pub fn name_hash(name: &[u8]) -> u32 {
    let hash = name
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ hash >> 8 ^ hash >> 16 ^ hash >> 24) & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_names() {
        let table: [(&str, CodeKind); 14] = [
            ("main", CodeKind::Native),
            ("operator new(unsigned long)", CodeKind::Native),
            ("finish_task_switch.isra.0", CodeKind::Native),
            ("Stdlib.List.map", CodeKind::Module),
            ("camlStdlib__List__map_12", CodeKind::Module),
            ("alloc::vec::Vec<T>::push", CodeKind::Path),
            ("<Foo.Bar as core::Clone>::clone_[i]", CodeKind::Path),
            ("caml_alloc_small_dispatch", CodeKind::Runtime),
            ("[GC]", CodeKind::Runtime),
            ("do_syscall_64_[k]", CodeKind::Kernel),
            ("caml_page_fault_[k]", CodeKind::Kernel),
            ("LazyCompile:~f app.js:1_[j]", CodeKind::Jit),
            ("[libc.so.6]", CodeKind::Nameless),
            ("", CodeKind::Nameless),
        ];
        for (name, kind) in table {
            assert_eq!(CodeKind::of(name.as_bytes()), kind, "{name}");
        }
    }

    #[test]
    fn shades_lie_between_the_ends() {
        for number in 0..1000 {
            let color = code_color(format!("f{number}").as_bytes());
            let [light, dark] = CodeKind::Native.shades();
            assert!((dark[0]..=light[0]).contains(&color[0]), "{number}: {color:?}");
        }
    }

    #[test]
    fn an_inlined_frame_is_a_paler_one_of_the_same_name() {
        let (plain, inlined) = (code_color(b"std::sort"), code_color(b"std::sort_[i]"));
        assert!(inlined.iter().zip(plain).all(|(inlined, plain)| *inlined > plain));
    }
}
