//! What the scheduler's switches say: `sched:sched_switch`.

use bstr::ByteSlice;

/// The event with the times of switches.
pub(super) const EVENT: &str = "sched:sched_switch";

/// The contents of a switch event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Switch<'a> {
    /// The id of the thread that leaves, if the text has it.
    pub(super) previous: &'a [u8],
    /// The id of the thread that gets the processor.
    pub(super) next: &'a [u8],
    /// The state of the thread that leaves: `R` if it could go on, `S` or `D` if it waits, `X` or
    /// `Z` if it has ended.
    pub(super) state: u8,
}

impl<'a> Switch<'a> {
    /// A thread waits from now on, and it is not known which one gets its processor.
    pub(super) const AWAY: Switch<'static> = Switch { previous: b"", next: b"", state: b'S' };

    /// Parses the text of a `sched:sched_switch` in both forms that recorders print:
    /// `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120`
    /// `a:1 [120] S ==> b:2 [120]`
    pub(super) fn parse(text: &'a [u8]) -> Option<Switch<'a>> {
        let (left, right) = text.rsplit_once_str("==>")?;
        let (previous, next, state) = match right.rfind("next_pid=") {
            Some(at) => (
                left.rsplit_once_str("prev_pid=")?.1,
                &right[at + "next_pid=".len()..],
                left.rsplit_once_str("prev_state=")?.1,
            ),
            None => {
                let name = |side: &'a [u8]| side.rsplit_once_str("[").map(|it| it.0);
                let id = |name: &'a [u8]| name.rsplit_once_str(":").map(|it| it.1);
                (id(name(left)?)?, id(name(right)?)?, left.rsplit_once_str("]")?.1)
            }
        };
        let [previous, next] = [previous, next].map(digits);
        let state = *state.trim_ascii_start().first()?;
        (!next.is_empty()).then_some(Switch { previous, next, state })
    }
}

/// The digits that a text begins with.
pub(super) fn digits(text: &[u8]) -> &[u8] {
    &text[..text.iter().take_while(|byte| byte.is_ascii_digit()).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_a_switch_are_read() {
        for (text, [previous, next], state) in [
            (
                "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b b next_pid=22 next_prio=120",
                ["1", "22"],
                b'S',
            ),
            (
                "prev_comm=x==> prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=b next_pid=2 next_prio=120",
                ["1", "2"],
                b'R',
            ),
            ("a b:1 [120] S ==> kworker/0:1:33 [120]", ["1", "33"], b'S'),
            ("a:1 [120] R ==> b:2 [120]", ["1", "2"], b'R'),
        ] {
            let switch = Switch::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            let (previous, next) = (previous.as_bytes(), next.as_bytes());
            assert_eq!(switch, Switch { previous, next, state }, "{text}");
        }
        assert_eq!(Switch::parse(b"comm=demo pid=17147"), None);
    }
}
