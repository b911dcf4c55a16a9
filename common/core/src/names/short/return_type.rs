//! The return type at the start of a name of C++, which only functions of templates have: nobody says
//! `void std::sort<…>`.

use bstr::ByteSlice;

use super::words::{is_word, operator_length};

/// What the names of thunks, and of data that the compiler makes, begin with.
const PREFIXES: [&str; 13] = [
    "typeinfo for ",
    "typeinfo name for ",
    "vtable for ",
    "VTT for ",
    "guard variable for ",
    "transaction clone for ",
    "non-transaction clone for ",
    "construction vtable for ",
    "non-virtual thunk to ",
    "virtual thunk to ",
    "covariant return thunk to ",
    "reference temporary #",
    "thread-local ",
];

/// The name without its return type; `None` if it has none.
pub(super) fn without_return_type(name: &[u8]) -> Option<Vec<u8>> {
    // Only functions of templates have one.
    let may_be = name.contains(&b' ') && name.contains_str(">(");
    if !may_be || PREFIXES.iter().any(|prefix| name.starts_with_str(prefix)) {
        return None;
    }
    let mut scan = Scan { name, at: 0, depth: 0, start: 0 };
    loop {
        match scan.step()? {
            Step::Inside => {}
            // `void (*f<int>(int))(char)`
            Step::Arguments => return scan.declared().or_else(|| scan.function()),
        }
    }
}

/// Goes over a name up to the arguments of the function.
struct Scan<'n> {
    name: &'n [u8],
    at: usize,
    /// How many brackets are open.
    depth: usize,
    /// Where the last word outside of brackets begins.
    start: usize,
}

enum Step {
    Inside,
    Arguments,
}

impl<'n> Scan<'n> {
    fn rest(&self) -> &'n [u8] {
        &self.name[self.at..]
    }

    /// Takes the next part of the name. `None` if it has no arguments, or no return type.
    fn step(&mut self) -> Option<Step> {
        let (name, rest) = (self.name, self.rest());
        if self.at == 0 || !is_word(name[self.at - 1]) {
            if let Some(after) = rest.strip_prefix(b"operator")
                && !after.first().is_some_and(|&byte| is_word(byte))
            {
                return self.operator(after);
            }
            if self.depth == 0
                && (rest.starts_with(b"decltype(") || rest.starts_with(b"decltype ("))
            {
                self.at += rest.find_byte(b'(')?;
                self.at += length_in_brackets(self.rest())?;
                return Some(Step::Inside);
            }
        }
        match rest.first()? {
            b'(' if self.depth == 0 && !rest.starts_with(b"(anonymous namespace)") => {
                return Some(Step::Arguments);
            }
            b'(' | b'<' | b'[' | b'{' => self.depth += 1,
            // `x->y`
            b'>' if name[..self.at].ends_with(b"-") => {}
            b')' | b'>' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b' ' if self.depth == 0 => {
                // `f<int> [clone .cold]`
                if rest.starts_with(b" [") {
                    return None;
                }
                self.start = self.at + 1;
            }
            _ => {}
        }
        self.at += 1;
        Some(Step::Inside)
    }

    /// Takes the word `operator` with its bytes, and a blank after them: `operator<< <int>`. A
    /// conversion such as `operator unsigned long` has no return type.
    fn operator(&mut self, after: &[u8]) -> Option<Step> {
        if after.starts_with(b" ") && self.depth == 0 {
            return None;
        }
        let length = operator_length(after);
        let is_template = length > 0 && after[length..].starts_with(b" <");
        self.at += b"operator".len() + length + usize::from(is_template);
        Some(Step::Inside)
    }

    /// The function that returns a pointer to a function, without the type around it.
    fn declared(&self) -> Option<Vec<u8>> {
        let declared = self.rest()[1..].strip_prefix(b"*")?;
        if self.at != self.start || self.at == 0 {
            return None;
        }
        let end = length_in_brackets(self.rest())?.checked_sub("(*)".len())?;
        Some(declared[..end].to_vec())
    }

    /// The name from its last word on, if that is a template and what follows are arguments of C++:
    /// Swift has the type of the result after them.
    fn function(&self) -> Option<Vec<u8>> {
        let before = &self.name[..self.at];
        let is_template = before.ends_with(b">") && !before.ends_with(b"->");
        let is_cpp = !self.rest().contains_str(") -> ");
        (self.start > 0 && is_template && is_cpp).then(|| self.name[self.start..].to_vec())
    }
}

/// The length of the text in brackets at the start, the brackets included.
fn length_in_brackets(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}
