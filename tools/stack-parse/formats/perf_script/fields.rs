//! The fields of an event line, recognised by their columns and their content.

use bstr::ByteSlice;
use common::numbers::{decimal, is_digits};
use memchr::{memchr, memrchr_iter};

use super::tokens::{is_space, split_last_token, token_start, trim_end};

/// The width of a period in perf's output, after a space; longer numbers take more columns.
pub(super) const PERIOD_COLUMNS: usize = 10;

/// The width of a weight.
const WEIGHT_COLUMNS: usize = 16;

/// The width of a comm in a sample without a call chain.
pub(super) const COMM_COLUMNS: usize = 16;

/// Where the event of a line without a time starts, and its colon. The event is the last word with
/// a colon that ends the line or is followed by a field in its columns:
/// `demo page-faults:                0`. A colon before a single space is part of a comm, `a: b`.
pub(super) fn last_event(line: &[u8]) -> Option<(usize, usize)> {
    let is_field = |rest: &[u8]| rest.is_empty() || rest.starts_with(b"  ");
    let colon = memrchr_iter(b':', line).find(|&colon| is_field(&line[colon + 1..]))?;
    let start = token_start(&line[..colon]);
    (start < colon).then_some((start, colon))
}

/// Splits `thread period` if the number has at least the ten columns of a period and fewer than the
/// sixteen of `-F +weight`: `demo 17132    2004008`, `demo 7/8     K        2004008`.
pub(super) fn split_period(text: &[u8]) -> Option<(&[u8], u64)> {
    let start = token_start(text);
    let period = decimal(&text[start..])?;
    let thread = trim_end(&text[..start]);
    let separator = usize::from(!thread.is_empty());
    let columns = text.len() - thread.len() - separator;
    let is_wide = (PERIOD_COLUMNS..WEIGHT_COLUMNS).contains(&columns);
    (is_wide || columns == text.len() - start && columns > PERIOD_COLUMNS)
        .then_some((thread, period))
}

/// `demo 17132 2026-11-22 01:37:22.940363` without the time of day.
pub(super) fn without_time_of_day(text: &[u8]) -> &[u8] {
    let is_clock = |token: &[u8]| {
        matches!(token, [_, _, b':', _, _, b':', rest @ ..]
            if rest.split_once_str(b".").is_some_and(|(s, fraction)| is_digits(s) && is_digits(fraction)))
    };
    let is_date = |token: &[u8]| token.len() == 10 && token[4] == b'-' && token[7] == b'-';
    let split = split_last_token(text).filter(|(_, clock)| is_clock(clock));
    let split = split.and_then(|(front, _)| split_last_token(front));
    split.filter(|(_, date)| is_date(date)).map_or(text, |(front, _)| front)
}

/// Where the time that ends at this colon starts: `525.936394:`, a token of its own.
pub(super) fn time_start(line: &[u8], colon: usize) -> Option<usize> {
    if !ends_token(line, colon) {
        return None;
    }
    let digits_before = |end: usize| {
        let digits = line[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0).then_some(end - digits)
    };
    let point = digits_before(colon)?.checked_sub(1)?;
    let start = digits_before(point)?;
    let starts_token = start == 0 || is_space(&line[start - 1]);
    (line[point] == b'.' && starts_token).then_some(start)
}

/// Whether white space, or nothing, follows `at`.
pub(super) fn ends_token(line: &[u8], at: usize) -> bool {
    line.get(at + 1).is_none_or(is_space)
}

/// `123` or `12/123`; `-1` means no process.
pub(super) fn split_id(token: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let is_id = |id: &[u8]| is_digits(id.strip_prefix(b"-").unwrap_or(id));
    match memchr(b'/', token) {
        Some(slash) => {
            let (pid, tid) = (&token[..slash], &token[slash + 1..]);
            (is_id(pid) && is_id(tid)).then_some((Some(pid), tid))
        }
        None => is_id(token).then_some((None, token)),
    }
}

/// Whether a text ends in a number that is not a thread id: perf pads ids to five columns,
/// `demo    12 `, so `worker 12 ` is a comm.
pub(super) fn is_narrow_id(text: &[u8]) -> bool {
    let text = trim_end(text);
    let start = token_start(text);
    let columns = text.len() - trim_end(&text[..start]).len();
    let is_alone = columns == text.len();
    // `              99`: without a call chain a comm has sixteen columns.
    let is_comm = is_alone && columns == COMM_COLUMNS;
    is_digits(&text[start..]) && (is_comm || columns < if is_alone { 5 } else { 6 })
}

/// `[003]`
pub(super) fn cpu_number(token: &[u8]) -> Option<&[u8]> {
    token.strip_prefix(b"[")?.strip_suffix(b"]").filter(|number| is_digits(number))
}

/// `U`, `K`, `Hv`: the letters of perf's misc field.
pub(super) fn is_misc(token: &[u8]) -> bool {
    token.len() <= 3 && token.iter().all(u8::is_ascii_alphabetic)
}
