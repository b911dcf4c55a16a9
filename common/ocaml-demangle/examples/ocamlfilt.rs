//! Makes the OCaml symbols in a text readable, as `c++filt` does those of C++.
//!
//! ```text
//! $ nm app.exe | cargo run --release --example ocamlfilt
//! 0000000000023f60 T Stdlib.List.map
//! ```
//!
//! A symbol is what comes between spaces, tabs or line ends; everything else passes unchanged.

use std::io::{self, BufRead, BufWriter, Write};

use ocaml_demangle::{Stamps, demangle_into};

fn main() -> io::Result<()> {
    filter(io::stdin().lock(), BufWriter::new(io::stdout().lock()))
}

fn filter(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let (mut line, mut readable) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        for word in line.split_inclusive(u8::is_ascii_whitespace) {
            let symbol = word.trim_ascii_end();
            if !demangle_into(symbol, Stamps::Anonymous, &mut readable) {
                readable.extend_from_slice(symbol);
            }
            readable.extend_from_slice(&word[symbol.len()..]);
        }
        output.write_all(&readable)?;
        line.clear();
        readable.clear();
    }
    output.flush()
}

#[test]
fn what_is_not_a_symbol_passes() {
    let input = b"  10 T camlStdlib__List__map_342\r\n\n20\tt caml_alloc \xff\ncamlMain.fun_7";
    let expected = b"  10 T Stdlib.List.map\r\n\n20\tt caml_alloc \xff\nMain.(fun/7)";
    let mut output = Vec::new();
    filter(&input[..], &mut output).unwrap();
    assert_eq!(output, expected);
}
