//! Input: files, standard input, every form of folded lines.

use crate::packers::packed;
use crate::util::{
    FILTERS, feed, filter, filter_bytes, folded_tools, folded_writers, output, passed_on,
    recording, scratch, utf16, with_minimal,
};

const PROFILE: &str = "main;parse;read 3\nmain;parse 2\nmain;write 5\n";

/// The output of a tool for well-formed input.
fn clean(name: &str, input: impl AsRef<[u8]>) -> Vec<u8> {
    filter_bytes(name, &with_minimal(name, &[]), input)
}

#[test]
fn files_and_standard_input_give_the_same() {
    let path = scratch("same.folded", PROFILE);
    let file = path.to_str().expect("UTF-8");
    for name in folded_tools() {
        let expected = clean(name, PROFILE);
        assert!(!expected.is_empty(), "{name}");
        let from = |operands: &[&str], input: &str| {
            filter_bytes(name, &with_minimal(name, operands), input)
        };
        assert_eq!(from(&["-"], PROFILE), expected, "{name} -");
        assert_eq!(from(&[file], ""), expected, "{name} FILE");
        let twice = clean(name, PROFILE.repeat(2));
        assert_eq!(from(&[file, "-"], PROFILE), twice, "{name} FILE -");
    }
}

#[test]
fn compressed_input_is_decompressed_whatever_its_name() {
    let [gzip, zstd] = ["gzip", "zstd"].map(|format| packed(format, PROFILE));
    // As the programs of these names compress it.
    let [xz, bzip2, lz4] =
        ["xz", "bz2", "lz4"].map(|end| recording(&format!("packed/profile.{end}")));
    let path = scratch("packed.folded", &gzip);
    let file = path.to_str().expect("UTF-8");
    for name in folded_tools() {
        let expected = clean(name, PROFILE);
        // Two files joined with `cat`.
        let twice = clean(name, PROFILE.repeat(2));
        for packed in [&gzip, &zstd, &xz, &bzip2, &lz4] {
            assert_eq!(clean(name, packed), expected, "{name}: {packed:?}");
            assert_eq!(clean(name, packed.repeat(2)), twice, "{name}: {packed:?}, twice");
        }
        // pzstd begins its files with a frame without text.
        let pzstd = [b"\x50\x2a\x4d\x18\x02\0\0\0ab", &zstd[..]].concat();
        assert_eq!(clean(name, pzstd), expected, "{name}: pzstd");
        // Two streams with different checks, and four padding bytes between them.
        assert_eq!(clean(name, recording("packed/streams.xz")), expected, "{name}: streams of xz");
        assert_eq!(filter_bytes(name, &with_minimal(name, &[file]), ""), expected, "{name} FILE");
    }
}

#[test]
fn utf16_is_read_where_a_mark_says_so() {
    let text = "main;caf\u{e9};\u{1d11e} 3\r\nmain 2\r\n";
    // Cut by another program: the second half of a surrogate pair is missing.
    let torn: Vec<u8> =
        "\u{feff}a;".encode_utf16().chain([0xd834]).flat_map(u16::to_le_bytes).collect();
    let torn = [torn, utf16("b 1\nc 2\n", u16::to_le_bytes)[2..].to_vec()].concat();
    for name in folded_tools() {
        let expected = clean(name, text);
        assert_eq!(clean(name, utf16(text, u16::to_le_bytes)), expected, "{name}: little-endian");
        assert_eq!(clean(name, utf16(text, u16::to_be_bytes)), expected, "{name}: big-endian");
        assert_eq!(clean(name, format!("\u{feff}{text}")), expected, "{name}: UTF-8");
        assert_eq!(clean(name, &torn), clean(name, "a;\u{fffd}b 1\nc 2\n"), "{name}: torn");
        for nothing in [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"] {
            assert_eq!(feed(name, &[], nothing).status.code(), Some(1), "{name} {nothing:?}");
        }
    }
}

#[test]
fn compressed_utf16_is_read() {
    let gzip = packed("gzip", utf16(PROFILE, u16::to_le_bytes));
    for name in folded_tools() {
        assert_eq!(clean(name, &gzip), clean(name, PROFILE), "{name}");
    }
}

#[test]
fn a_count_without_frames_is_a_sample_without_a_stack() {
    for name in folded_tools() {
        let named = feed(name, &[], "main;a 3\n[no stack] 2\n[no stack] 1\n");
        let bare = feed(name, &[], "main;a 3\n 2\n[no stack] 1\n");
        assert_eq!(bare.stdout, named.stdout, "{name}");
        assert_eq!(bare.status.code(), named.status.code(), "{name}");
        let said = String::from_utf8_lossy(&bare.stderr);
        let expected =
            format!("{name}: 1 line without frames, of weight 2, counts as the stack [no stack]\n");
        assert_eq!(said.replace(&String::from_utf8_lossy(&named.stderr)[..], ""), expected);
    }
    let found = output("stack-grep", &["-c", "-F", "no stack"], "main;a 3\n 2\n 4\n");
    assert!(found.stdout.starts_with(b"6 "), "{found:?}");
    let said = "stack-grep: 2 lines without frames, of weight 6, count as the stack [no stack]\n";
    assert_eq!(String::from_utf8_lossy(&found.stderr), said);
}

#[test]
fn other_line_ends_and_empty_lines_are_read() {
    let crlf = PROFILE.replace('\n', "\r\n");
    let empty = format!("\n{}\r\n\n", PROFILE.replace('\n', "\n\n"));
    for name in folded_tools() {
        let expected = clean(name, PROFILE);
        assert_eq!(clean(name, &crlf), expected, "{name}: CR LF");
        assert_eq!(clean(name, PROFILE.trim_end()), expected, "{name}: no last line end");
        assert_eq!(clean(name, crlf.trim_end_matches('\n')), expected, "{name}: CR, no LF");
        assert_eq!(clean(name, &empty), expected, "{name}: empty lines");
    }
}

#[test]
fn comments_are_passed_on_by_filters_and_by_no_other() {
    // Header lines such as `# event: cycles` are kept by more tools.
    let commented = format!("# by hand\n{PROFILE}# total 10\n");
    for name in folded_tools() {
        let expected = clean(name, PROFILE);
        let comments: [&[u8]; 2] = match FILTERS.contains(&name) {
            true => [b"# by hand\n", b"# total 10\n"],
            false => [b"", b""],
        };
        let expected = [comments[0], &expected, comments[1]].concat();
        assert_eq!(clean(name, &commented), expected, "{name}");
    }
}

#[test]
fn nothing_in_is_nothing_out_and_status_1() {
    for name in folded_tools() {
        for nothing in ["", "\n\r\n"] {
            let output = feed(name, &[], nothing);
            assert_eq!(output.status.code(), Some(1), "{name} {nothing:?}");
            assert!(output.stdout.is_empty(), "{name} {nothing:?}");
        }
    }
}

#[test]
fn a_malformed_line_is_named_and_the_rest_is_read() {
    for name in folded_tools() {
        let output = feed(name, &[], "main;a 1\nmain;b\nmain;c 2\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let expected = "expected 'frame;frame count', found no count at the end";
        assert_eq!(stderr, format!("{name}: <stdin>:2: {expected}\n"));
        assert_eq!(output.stdout, clean(name, "main;a 1\nmain;c 2\n"), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn three_malformed_lines_are_named_and_the_others_counted() {
    let path = scratch("malformed.folded", "a\n\nb x\nc 1\n7\n-1\nd;e 3.5\n");
    let file = path.to_str().expect("UTF-8");
    for name in folded_tools() {
        let output = feed(name, &[file], "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 4, "{name}: {stderr}");
        for (line, number) in lines.iter().zip([1, 3, 5]) {
            assert!(line.starts_with(&format!("{name}: {file}:{number}: ")), "{stderr}");
        }
        assert_eq!(lines[3], format!("{name}: 2 more malformed lines skipped"));
        assert_eq!(output.stdout, clean(name, "c 1\n"), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_read() {
    let path = scratch("readable.folded", PROFILE);
    let file = path.to_str().expect("UTF-8");
    let missing = "no/such/file.folded";
    let folder = env!("CARGO_TARGET_TMPDIR");
    for name in folded_tools() {
        let output = feed(name, &[missing, file, folder], "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let expected = format!(
            "{name}: {missing}: no such file or directory\n{name}: {folder}: is a directory\n"
        );
        assert_eq!(stderr, expected);
        assert_eq!(output.stdout, clean(name, PROFILE), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_torn_compressed_file_is_named() {
    let whole = packed("gzip", PROFILE);
    for name in folded_tools() {
        let output = feed(name, &[], &whole[..whole.len() - 12]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with(&format!("{name}: <stdin>: ")), "{name}: {stderr}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn bytes_that_are_no_utf8_survive() {
    // Latin-1, a lone continuation byte, and UTF-8 cut in the middle.
    let odd = b"main;caf\xe9;\xbf\xff;\xe2\x82 7\n";
    for name in folded_tools() {
        let out = clean(name, odd);
        match name {
            "stack-brief" => {
                let heading = br"## `\xE2\x82`";
                assert!(
                    out.windows(heading.len()).any(|it| it == heading),
                    "{}",
                    out.escape_ascii()
                );
            }
            "stack-export" => {
                let name = b") \xbf\xff\n";
                assert!(out.windows(name.len()).any(|it| it == name), "{}", out.escape_ascii());
            }
            "stack-source" => {
                let foot = br": first \xE2\x82";
                assert!(out.windows(foot.len()).any(|it| it == foot), "{}", out.escape_ascii());
            }
            "stack-svg" => {
                String::from_utf8(out).expect("a picture is XML, so UTF-8");
            }
            "stack-top" => {
                let line = out.split(|&byte| byte == b'\n').nth(1).expect("a line for the leaf");
                assert!(line.ends_with(br"%  \xE2\x82"), "{line:?}");
            }
            _ => assert_eq!(out, passed_on(name, odd), "{name}"),
        }
    }
}

#[test]
fn counts_are_exact_to_the_last_of_64_bits() {
    for name in folded_writers() {
        let args = with_minimal(name, &[]);
        assert_eq!(filter(name, &args, "a 18446744073709551615\n"), "a 18446744073709551615\n");
    }
}
