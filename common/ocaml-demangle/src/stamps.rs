//! What is done with stamps.

/// What to do with the stamp (`_123`) that the compiler appends to every identifier.
///
/// A stamp is a decimal number without a unit. It is unique in its compilation unit and changes
/// when the source does; OxCaml has up to two, `1_2` or `15,113`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stamps {
    /// Dropped for named functions, kept as the identity of anonymous ones: `Lwtsim.(fun/811)`.
    #[default]
    Anonymous,
    /// Dropped: `Lwtsim.run`, `Lwtsim.(fun)`.
    Drop,
    /// Kept: `Lwtsim.run/176`, `Lwtsim.(fun/811)`.
    Keep,
}
