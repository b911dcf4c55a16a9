//! The options of flamegraph.pl that are not ours, and what to use here instead.

use common::Known;

pub(crate) const OPTIONS: &[Known] = &[
    ("--bgcolors", "use '--theme light' or '--theme dark'"),
    ("--cp", "leave it out: a name has the same colour in every picture"),
    ("--encoding", "leave it out: pictures are UTF-8, and other bytes are shown as \u{fffd}"),
    ("--factor", "scale the counts before; '--unit WORD' says what they count"),
    ("--fonttype", "leave it out: the font is the reader's monospace; '--font-size' sets its size"),
    ("--fontwidth", "use '--font-size': letters of a monospace font are all as wide"),
    ("--hash", "leave it out: a name has the same colour in every picture"),
    ("--nameattr", "leave it out: frames have no attributes of their own here"),
    ("--nametype", "leave it out; '--unit WORD' says what the weights count"),
    ("--negate", "use '--diff' and give the two counts of each line in the other order"),
    ("--notes", "use '--subtitle TEXT'"),
    ("--random", "leave it out: a name has the same colour in every picture"),
    ("--total", "leave it out: the picture is as wide as the sum of all stacks"),
];
