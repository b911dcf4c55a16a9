//! How far a profile can be trusted: what its header lines say was lost, cut or estimated, and how
//! much its shares vary by chance.

mod shown;

use serde::Serialize;

use crate::compare::margin_of_share;
use crate::folded::{Part, counts_samples};
use crate::pipe::Pipe;

pub use shown::Shown;

/// How far something can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing speaks against it.
    Good,
    /// What is large and clear is true, what is small may not be.
    Fair,
    /// It may be false.
    Poor,
}

impl Level {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Level::Good => "good",
            Level::Fair => "fair",
            Level::Poor => "poor",
        }
    }

    /// Good until `fair` is exceeded, poor from beyond `poor`.
    fn of(value: f64, [fair, poor]: [f64; 2]) -> Level {
        match value {
            _ if value > poor => Level::Poor,
            _ if value > fair => Level::Fair,
            _ => Level::Good,
        }
    }
}

/// The limits beyond which a share of what was recorded makes an answer fair, and poor.
mod limits {
    /// Lost samples, for sizes: they may all be of one function.
    pub(super) const LOST_SIZES: [f64; 2] = [0.01, 0.1];
    /// Lost samples, for the order.
    pub(super) const LOST_ORDER: [f64; 2] = [0.1, 0.3];
    /// Stacks that are cut or broken, for the callers.
    pub(super) const CUT: [f64; 2] = [0.05, 0.3];
    /// Frames without a name, where nobody knows which.
    pub(super) const NAMELESS: [f64; 2] = [0.2, 0.5];
    /// The weight of stacks whose own code may be without a name, for the order and the sizes.
    pub(super) const HIDDEN: [f64; 2] = [0.05, 0.25];
    /// Weight whose stack is an estimate.
    pub(super) const ESTIMATED: [f64; 2] = [0.01, 0.25];
    /// How many points of a hundred the largest share may be off by chance.
    pub(super) const MARGIN: [f64; 2] = [4.0, 10.0];
}

/// A smaller share is not worth a word.
const LEAST: f64 = 0.01;

/// What is known of how a profile was made, and what that means.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// How many samples of equal weight would vary as much.
    pub samples: Option<u64>,
    /// Samples that the recorder could not write.
    pub lost: Option<Part>,
    /// Samples whose stack is longer than what was recorded of it.
    pub truncated: Option<Part>,
    /// Samples whose callers could not be found.
    pub broken: Option<Part>,
    /// Frames without a name.
    pub nameless: Option<Part>,
    /// Weight whose stack is an estimate.
    pub estimated: Option<Part>,
    /// Whether times were measured, not sampled.
    pub is_measured: bool,
    /// What the rows of an answer show, if they were looked at.
    pub shown: Option<Shown>,
}

/// What can be trusted more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Levels {
    /// Which is the largest.
    pub order: Level,
    /// How large each is.
    pub sizes: Level,
    /// Which function called it.
    pub callers: Level,
}

impl Trust {
    /// What the header lines of all inputs say; `total` is what all stacks weigh.
    #[must_use]
    pub fn of(pipe: &Pipe, total: u64) -> Trust {
        let part = |key| pipe.header_part(key).cloned();
        let is_counted = pipe.header_unit().is_some_and(|unit| counts_samples(unit.as_bytes()));
        Trust {
            samples: pipe.header_samples().or(is_counted.then_some(total)),
            lost: part("lost"),
            truncated: part("truncated"),
            broken: part("broken"),
            nameless: part("nameless"),
            estimated: part("estimated"),
            is_measured: pipe.header_value("event") == Some(b"wall-clock"),
            shown: None,
        }
    }

    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.samples.is_some() || self.parts().iter().any(|(_, part, _)| part.is_some())
    }

    /// By how many points of a hundred a share is off by chance in 5 of 100 recordings; of the
    /// largest row, or of a half, which varies most.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        Some(margin_of_share(self.first_share(), self.samples? as f64))
    }

    fn first_share(&self) -> f64 {
        self.shown.map_or(0.5, |shown| shown.first)
    }

    /// How far it can be trusted; `None` if nothing is known.
    #[must_use]
    pub fn levels(&self) -> Option<Levels> {
        let share = |part: &Option<Part>| part.as_ref().map_or(0.0, Part::share);
        let shown = self.shown.unwrap_or_default();
        let hidden = match self.shown {
            Some(shown) => Level::of(shown.hidden, limits::HIDDEN),
            None => Level::of(share(&self.nameless), limits::NAMELESS),
        };
        let estimated = Level::of(share(&self.estimated), limits::ESTIMATED);
        let margin = self.margin().map_or(Level::Good, |it| Level::of(it, limits::MARGIN));
        let cut = share(&self.truncated).max(share(&self.broken)).max(shown.rootless);
        let lost = share(&self.lost);
        self.is_known().then(|| Levels {
            order: hidden.max(Level::of(lost, limits::LOST_ORDER)).max(if self.is_tied() {
                margin
            } else {
                Level::Good
            }),
            sizes: hidden.max(Level::of(lost, limits::LOST_SIZES)).max(margin).max(estimated),
            callers: Level::of(cut, limits::CUT).max(estimated),
        })
    }

    /// Whether chance may have put another row before the first.
    fn is_tied(&self) -> bool {
        let margin = self.margin().unwrap_or_default();
        self.shown.is_some_and(|it| 100.0 * (it.first - it.second) <= margin)
    }

    /// What header lines count, and how much of the rows has it, if that is known.
    fn parts(&self) -> [(&'static str, &Option<Part>, Option<f64>); 5] {
        let (cut, nameless) = self.shown.map(|it| (it.cut_in_rows, it.nameless_in_rows)).unzip();
        [
            ("of the samples lost", &self.lost, None),
            ("of the stacks cut", &self.truncated, cut),
            ("of the stacks without their callers", &self.broken, cut),
            ("of the frames without a name", &self.nameless, nameless),
            ("of the weight with estimated callers", &self.estimated, None),
        ]
    }

    /// `good for the order and the callers, fair for the sizes: 46.8 % is ± 1.2 points; 4.1 % of the
    /// samples lost`
    #[must_use]
    pub fn sentence(&self) -> String {
        let Some(levels) = self.levels() else {
            return "unknown: nothing says how many samples there are, nor what was lost"
                .to_owned();
        };
        let reasons = self.reasons();
        match reasons.is_empty() {
            true => "good: nothing is lost, cut or without a name".to_owned(),
            false => [levels.words(), reasons.join("; ")].join(": "),
        }
    }

    /// What speaks for and against it.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        match self.margin() {
            Some(margin) => {
                reasons.push(format!("{} is ± {margin:.1} points", percent(self.first_share())));
            }
            None if self.is_measured => {}
            None => reasons.push("how much shares vary by chance is unknown".to_owned()),
        }
        for (what, part, in_rows) in self.parts() {
            if let Some(part) = part.as_ref().filter(|part| part.number() > 0) {
                let rows = in_rows.map_or_else(String::new, |share| match share {
                    _ if share < LEAST => ", none of them in the rows above".to_owned(),
                    share => format!(", in {} of the rows above", percent(share)),
                });
                reasons.push(format!("{} {what}{rows}", percent(part.share())));
            }
        }
        if self.lost.is_none() {
            reasons.push("losses unknown".to_owned());
        }
        reasons.extend(self.shown.iter().flat_map(Shown::reasons));
        reasons
    }

    /// The same for programs; `None` if nothing is known.
    #[must_use]
    pub fn data(&self) -> Option<TrustData> {
        let data = |part: &Option<Part>| part.as_ref().map(|it| [it.number(), it.all()]);
        Some(TrustData {
            levels: self.levels()?,
            samples: self.samples,
            margin: self.margin(),
            lost: data(&self.lost),
            truncated: data(&self.truncated),
            broken: data(&self.broken),
            nameless: data(&self.nameless),
            estimated: data(&self.estimated),
            shown: self.shown,
        })
    }
}

impl Levels {
    /// Whether nothing speaks against it.
    #[must_use]
    pub fn are_good(&self) -> bool {
        self.least() == Level::Good
    }

    /// The least of the three.
    #[must_use]
    pub fn least(&self) -> Level {
        self.order.max(self.sizes).max(self.callers)
    }

    /// `good for the order and the callers, fair for the sizes`
    #[must_use]
    pub fn words(&self) -> String {
        let all =
            [(self.order, "the order"), (self.sizes, "the sizes"), (self.callers, "the callers")];
        if self.are_good() {
            return "good".to_owned();
        }
        let of_level = |level: Level| {
            let these = all.iter().filter(|(it, _)| *it == level).map(|(_, what)| *what);
            let these: Vec<&str> = these.collect();
            let these = match &these[..] {
                [] => return None,
                [others @ .., _, last] if !others.is_empty() => {
                    [&these[..these.len() - 1].join(", "), " and ", last].concat()
                }
                these => these.join(" and "),
            };
            Some(format!("{} for {these}", level.word()))
        };
        let levels = [Level::Good, Level::Fair, Level::Poor].into_iter().filter_map(of_level);
        levels.collect::<Vec<_>>().join(", ")
    }
}

/// Trust as JSON has it: numbers of samples and frames with that of all, shares from 0 to 1, the
/// margin in points of a hundred.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TrustData {
    #[serde(flatten)]
    levels: Levels,
    samples: Option<u64>,
    margin: Option<f64>,
    lost: Option<[u64; 2]>,
    truncated: Option<[u64; 2]>,
    broken: Option<[u64; 2]>,
    nameless: Option<[u64; 2]>,
    estimated: Option<[u64; 2]>,
    #[serde(flatten)]
    shown: Option<Shown>,
}

/// `46.8 %`; small shares have more digits, so that none that is above 0 reads as 0.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if share > 0.0 && percent < 0.05 => "< 0.1 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u64, all: u64) -> Option<Part> {
        Some(Part::new(number, all, b"samples"))
    }

    #[test]
    fn each_flaw_lowers_what_it_touches() {
        let good = Trust { samples: Some(5000), lost: part(0, 5000), ..Trust::default() };
        assert!(good.levels().expect("known").are_good());
        assert_eq!(good.sentence(), "good: 50.0 % is ± 1.5 points");
        for (trust, words) in [
            (
                Trust { lost: part(41, 1000), ..good.clone() },
                "good for the order and the callers, fair for the sizes",
            ),
            (
                Trust { lost: part(400, 1000), ..good.clone() },
                "good for the callers, poor for the order and the sizes",
            ),
            (
                Trust { truncated: part(340, 1000), ..good.clone() },
                "good for the order and the sizes, poor for the callers",
            ),
            (
                Trust { broken: part(60, 1000), ..good.clone() },
                "good for the order and the sizes, fair for the callers",
            ),
            (
                Trust { nameless: part(700, 1000), ..good.clone() },
                "good for the callers, poor for the order and the sizes",
            ),
            (
                Trust { estimated: part(20, 1000), ..good.clone() },
                "good for the order, fair for the sizes and the callers",
            ),
            (
                Trust { samples: Some(50), ..good.clone() },
                "good for the order and the callers, poor for the sizes",
            ),
        ] {
            assert_eq!(trust.levels().expect("known").words(), words);
        }
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        assert_eq!(Trust::default().levels(), None);
        assert!(Trust::default().sentence().starts_with("unknown"));
    }

    #[test]
    fn rows_that_may_change_places_have_no_order() {
        let tied = Shown { first: 0.4, second: 0.35, ..Shown::default() };
        let trust = |samples, shown| Trust {
            samples: Some(samples),
            shown: Some(shown),
            ..Trust::default()
        };
        assert_eq!(trust(50, tied).levels().expect("known").order, Level::Poor);
        // So close that the order means little, but well known.
        assert_eq!(
            trust(5000, Shown { second: 0.399, ..tied }).levels().expect("known").order,
            Level::Good
        );
        assert_eq!(
            trust(50, Shown { second: 0.1, ..tied }).levels().expect("known").order,
            Level::Good
        );
    }
}
