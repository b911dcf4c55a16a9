//! Weights computed for a format that do not fit into 64 bits: they are reported, and never
//! truncated.

use crate::util::{output, stderr};

fn check(format: &str, bytes: &[u8], folded: &str, said: &str) {
    let output = output("stack-parse", &["-f", format], bytes);
    let found = String::from_utf8_lossy(&output.stdout);
    assert_eq!(found, folded, "{format} {said:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(said), "{format}: {said} is not in {}", stderr(&output));
}

/// Python's marshal of functions without callers that took these seconds.
fn pstats(own: &[f64]) -> Vec<u8> {
    let mut bytes = b"{".to_vec();
    for (line, seconds) in (1u8..).zip(own) {
        bytes.extend_from_slice(b"(\x03\0\0\0u\x01\0\0\0~i");
        bytes.extend_from_slice(&[line, 0, 0, 0]);
        bytes.extend_from_slice(b"u\x01\0\0\0f(\x05\0\0\0i\x01\0\0\0i\x01\0\0\0");
        for _ in ["own", "with callees"] {
            bytes.push(b'g');
            bytes.extend_from_slice(&seconds.to_le_bytes());
        }
        bytes.extend_from_slice(b"{0");
    }
    bytes.push(b'0');
    bytes
}

/// A profile of gperftools with two stacks.
fn gperftools(period: u64) -> Vec<u8> {
    let words = [0, 3, 0, period, 0, 1, 1, 0x1000, 1 << 40, 1, 0x1000, 0, 1, 0];
    words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect()
}

#[test]
fn times_that_do_not_fit_are_reported() {
    let zone = |length: &str| {
        format!(
            "name,src_file,src_line,ns_since_start,exec_time_ns,thread\n\
             a,a.c,1,9,{length},1\nb,a.c,1,1,5,1\n"
        )
    };
    let expected = ":2: expected a zone";
    check("tracy", zone("18446744073709551615").as_bytes(), "b 5\n", expected);
    let most = "a 18446744073709551606\nb 5\n";
    check("tracy", zone("18446744073709551606").as_bytes(), most, "");

    check("pstats", &pstats(&[1.5, 2.5]), "f 4000000000\n", "");
    let below = "1 functions have a negative own time: it counts as 0";
    check("pstats", &pstats(&[-1.5, 2.5]), "f 2500000000\n", below);
    check("pstats", &pstats(&[1.5, 1e300]), "f 1500000000\n", "expected a time");
    let over = "a sum over 18446744073709551615, weight 17000000000000000000 left out";
    check("pstats", &pstats(&[1.7e10; 2]), "f 17000000000000000000\n", over);

    check("gperftools", &gperftools(1), "[0x1000] 1099511627777000\n", "");
    let left_out = "1 weights are no integers of 64 bits: they are left out";
    check("gperftools", &gperftools(1 << 40), "[0x1000] 1099511627776000\n", left_out);
}

#[test]
fn sums_and_estimates_that_do_not_fit_are_reported() {
    let locks = |settings: &str| format!("--- contentionz 1 ---\n{settings}\n9 7 @ 0x1000\n");
    let huge = locks("cycles/second = 1\nsampling period=1e300");
    check("pprof-text", huge.as_bytes(), "", ":4: expected counts");
    let unknown = locks("cycles/second = many\nsampling period=1");
    check("pprof-text", unknown.as_bytes(), "[0xfff] 9\n", ":2: expected counts");

    let heap = |rate: &str| {
        let counts = "18446744073709551615: 1 [ 1: 2] @ 0x1";
        format!("heap profile: 1: 2 [ 1: 2] @ heap_v2/{rate}\n {counts}\n")
    };
    for rate in ["4096", "much"] {
        check("pprof-text", heap(rate).as_bytes(), "", ":2: expected counts");
    }
    let listed = "18446744073709551615\ta\n1\ta\n";
    let left_out = "1 weights are no integers of 64 bits: they are left out";
    check("du", listed.as_bytes(), "a 18446744073709551615\n", left_out);
}
