//! The messages for missing names: what was looked for, and what the user can do. stack-parse(1)
//! has a table of these.

/// One such message. Words in capitals are placeholders.
#[derive(Debug)]
pub(crate) struct Hint {
    /// What was looked for, and what was found instead.
    what: &'static str,
    /// What the user can do.
    help: &'static str,
}

impl Hint {
    /// `what: help`, with the placeholders replaced by their `values`.
    pub(crate) fn with(&self, values: &[(&str, &str)]) -> String {
        let (mut said, mut rest) = (String::new(), self.what);
        let next = |rest: &str| {
            let found =
                values.iter().filter_map(|(word, value)| Some((rest.find(word)?, word, value)));
            found.min()
        };
        while let Some((at, word, value)) = next(rest) {
            said.push_str(&rest[..at]);
            said.push_str(value);
            rest = &rest[at + word.len()..];
        }
        format!("{said}{rest}: {}", self.help)
    }

    pub(crate) fn text(&self) -> String {
        self.with(&[])
    }
}

// Files.

pub(super) const NO_FILE: Hint = Hint {
    what: "the file was not found",
    help: "put it below DIR, at this path, and use --symfs DIR",
};

pub(super) const NO_FILE_OF_BUILD: Hint = Hint {
    what: "neither the file nor a copy with its build-id BUILDID was found",
    help: "put it below DIR, at this path, and use --symfs DIR",
};

pub(super) const OTHER_BUILD: Hint = Hint {
    what: "its build-id is OTHER, the recorded one was BUILDID",
    help: "put the recorded file below DIR, at this path, and use --symfs DIR",
};

pub(super) const NO_BUILD_ID: Hint = Hint {
    what: "it has no build-id, the recorded one was BUILDID",
    help: "put the recorded file below DIR, at this path, and use --symfs DIR",
};

pub(super) const DELETED: Hint = Hint {
    what: "it was deleted, and no build-id was recorded by which to find a copy",
    help: "record with 'perf record --buildid-mmap'",
};

pub(super) const UNREADABLE: Hint =
    Hint { what: "it cannot be read (ERROR)", help: "run stack-parse as a user who may read it" };

pub(super) const NO_EXECUTABLE: Hint = Hint {
    what: "it is not an executable of Linux or macOS, little-endian",
    help: "if it was one, put the recorded file below DIR, at this path, and use --symfs DIR",
};

pub(super) const STRIPPED: Hint = Hint {
    what: "it is stripped and has no build-id, and no debug file was found",
    help: "name the folder of its debug file with --debug-dir, or build it without stripping it",
};

pub(super) const STRIPPED_WITH_ID: Hint = Hint {
    what: "it is stripped, and no debug file with its build-id BUILDID was found",
    help: "install the package with its debug symbols, or name the folder of its debug files with \
           --debug-dir, or build it without stripping it",
};

pub(super) const OTHER_DEBUG_FILE: Hint = Hint {
    what: "it is stripped, and the debug file FILE is of another build",
    help: "install the debug symbols of the same version, or name the folder of its debug files \
           with --debug-dir",
};

pub(super) const NO_DSYM: Hint = Hint {
    what: "it is stripped, and no NAME.dSYM with its UUID was found",
    help: "put that beside the file, or name its folder with --debug-dir",
};

// The kernel.

pub(super) const OTHER_KERNEL: Hint = Hint {
    what: "another kernel runs now than when it was recorded",
    help: "name a copy of the /proc/kallsyms of that time with --kallsyms",
};

pub(super) const NO_KALLSYMS: Hint = Hint {
    what: "no /proc/kallsyms of the recorded machine was found",
    help: "name a copy of it with --kallsyms",
};

pub(super) const HIDDEN_KALLSYMS: Hint = Hint {
    what: "all addresses in /proc/kallsyms are 0, since the kernel hides them \
           (kernel.kptr_restrict)",
    help: "run stack-parse as root, or name a copy that root made with --kallsyms",
};

pub(super) const UNREADABLE_KALLSYMS: Hint = Hint {
    what: "/proc/kallsyms cannot be read (ERROR)",
    help: "run stack-parse as root, or name a copy that root made with --kallsyms",
};

pub(super) const USELESS_KALLSYMS: Hint = Hint {
    what: "--kallsyms FILE gives no names (WHY)",
    help: "name a copy of the /proc/kallsyms of the recorded machine, made by root",
};

pub(super) const NO_VDSO: Hint = Hint {
    what: "no vdso of the recorded kernel was found",
    help: "name a copy of it with --vdso",
};

pub(super) const USELESS_VDSO: Hint = Hint {
    what: "--vdso FILE gives no names (WHY)",
    help: "name a copy of the vdso of the recorded kernel",
};

// Code that was compiled at run time.

pub(super) const NO_MAP: Hint = Hint {
    what: "the code was made at run time, and no /tmp/perf-PID.map of its process was found",
    help: "have the program write one",
};

pub(super) const OTHER_OWNER: Hint = Hint {
    what: "the file belongs neither to you nor to root, so anybody may have written it",
    help: "if you trust it, make it yours with chown",
};

pub(super) const NO_JITDUMP: Hint = Hint {
    what: "the code was made at run time, and this file of its process was not found",
    help: "put it below DIR, at this path, and use --symfs DIR, or record anew and keep it",
};

pub(super) const OTHER_JITDUMP: Hint = Hint {
    what: "it is not a jitdump of a little-endian machine",
    help: "record anew, and keep the file as the program writes it",
};

// Inlined functions.

pub(super) const NO_DWO: Hint = Hint {
    what: "inlined functions have no names, since FILE was not found, nor its contents in PROGRAM.dwp",
    help: "put one of them beside the program, or name its folder with --debug-dir",
};

pub(super) const OTHER_DWO: Hint = Hint {
    what: "inlined functions have no names, since FILE is of another build",
    help: "put that of the same build beside the program, or name its folder with --debug-dir",
};

// Servers of debug information.

pub(crate) const NO_SERVER: Hint = Hint {
    what: "--debuginfod downloads nothing, since DEBUGINFOD_URLS names no server",
    help: "set it, such as to https://debuginfod.elfutils.org",
};

pub(crate) const NO_CLIENT: Hint = Hint {
    what: "--debuginfod downloads nothing, since the program debuginfod-find was not found",
    help: "install it; packages are called debuginfod or elfutils-debuginfod-client",
};

pub(crate) const NO_ANSWER: Hint = Hint {
    what: "--debuginfod downloads nothing more, since debuginfod-find says 'WHY'",
    help: "see whether the servers that DEBUGINFOD_URLS names can be reached",
};

pub(crate) const SLOW: Hint = Hint {
    what: "its WHAT was not downloaded within SECONDS s",
    help: "--debuginfod=SECONDS waits longer",
};

pub(crate) const TOO_SLOW: Hint = Hint {
    what: "--debuginfod downloads nothing more, since FILES files did not come in time",
    help: "try again later, or with --debuginfod=SECONDS",
};

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&Hint; 29] = [
        &NO_FILE,
        &NO_FILE_OF_BUILD,
        &OTHER_BUILD,
        &NO_BUILD_ID,
        &DELETED,
        &UNREADABLE,
        &NO_EXECUTABLE,
        &STRIPPED,
        &STRIPPED_WITH_ID,
        &OTHER_DEBUG_FILE,
        &NO_DSYM,
        &OTHER_KERNEL,
        &NO_KALLSYMS,
        &HIDDEN_KALLSYMS,
        &UNREADABLE_KALLSYMS,
        &USELESS_KALLSYMS,
        &NO_VDSO,
        &USELESS_VDSO,
        &NO_MAP,
        &OTHER_OWNER,
        &NO_JITDUMP,
        &OTHER_JITDUMP,
        &NO_DWO,
        &OTHER_DWO,
        &NO_SERVER,
        &NO_CLIENT,
        &NO_ANSWER,
        &SLOW,
        &TOO_SLOW,
    ];

    /// The text of an item of the manual, without its macros.
    fn text_of(item: &str) -> String {
        let is_macro = |word: &&str| matches!(*word, "Ar" | "Fl" | "Pa" | "Ev" | "No");
        let words = item.split(' ').filter(|word| !is_macro(word));
        // `Pq` puts the rest of the line in parentheses.
        let text = words.collect::<Vec<_>>().join(" ").replace(" Ns ", "").replace(" , ", ", ");
        match text.split_once(" Pq ") {
            Some((before, within)) => format!("{before} ({within})"),
            None => text,
        }
    }

    /// What a hint says, as the manual has it: `Fl` puts a hyphen before a word.
    fn said(hint: &Hint) -> String {
        let what = hint.what.replace("'WHY'", "WHY");
        what.strip_prefix("--").map_or(what.clone(), |option| format!("-{option}"))
    }

    #[test]
    fn the_manual_has_a_table_of_all_hints() {
        let page = include_str!("../../../man/stack-parse.1");
        let (_, table) = page.split_once(".Ss Names that are missing\n").expect("the section");
        let (table, _) = table.split_once("\n.Ss ").expect("a section after it");
        let items: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix(".It ")).collect();
        let hints: Vec<String> = ALL.map(said).into();
        assert_eq!(items.into_iter().map(text_of).collect::<Vec<_>>(), hints);
    }

    #[test]
    fn the_list_of_this_test_is_whole() {
        let code = include_str!("hints.rs");
        let is_hint = |line: &&str| line.starts_with("pub") && line.contains(": Hint =");
        assert_eq!(code.lines().filter(is_hint).count(), ALL.len());
    }

    #[test]
    fn words_in_capitals_are_replaced() {
        let said = NO_FILE_OF_BUILD.with(&[("BUILDID", "8a2b")]);
        let expected = "neither the file nor a copy with its build-id 8a2b was found: put it \
                        below DIR, at this path, and use --symfs DIR";
        assert_eq!(said, expected);
    }
}
