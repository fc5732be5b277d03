//! The number of objects over which the Ledgers of a data folder spread (`LEDGER_SHARDS`), now and before: counts from
//! the previous number are looked up there.

use std::path::Path;

use crate::fail::{Context, Result, error};
use crate::paths;

/// The default: on one machine a few objects share their writes.
const DEFAULT: &str = "16";
/// The most objects.
const MOST: u32 = 1_000_000;
/// The file with the numbers, latest first.
const FILE: &str = "ledger-shards";

/// The numbers of a data folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shards {
    /// `LEDGER_SHARDS`.
    pub(super) now: String,
    /// `LEDGER_SHARDS_BEFORE`.
    pub(super) before: String,
}

impl Shards {
    /// Returns the numbers of this folder, which remembers the chosen one.
    ///
    /// # Errors
    /// If it is not a valid number, or the folder can't be used.
    pub(super) fn of(data: &Path, chosen: Option<String>) -> Result<Self> {
        let chosen = chosen.filter(|text| !text.trim().is_empty());
        let now = chosen.as_deref().map_or(DEFAULT, str::trim);
        if !now.parse().is_ok_and(|number: u32| number <= MOST) {
            return Err(error(format!(
                "LEDGER_SHARDS is \"{now}\": write a whole number from 0 to {MOST}"
            )));
        }
        let file = data.join(FILE);
        let known = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            // A folder of a release in which each owner had an object of its own.
            Err(_) if has_ledgers(data) => "0".to_owned(),
            Err(_) => String::new(),
        };
        let before: Vec<&str> = known
            .split_whitespace()
            .filter(|number| *number != now)
            .collect();
        let all = format!("{now} {}", before.join(" "));
        if all.trim() != known.trim() {
            std::fs::write(&file, all.trim())
                .context(|| format!("cannot write {}", paths::shown(&file)))?;
        }
        Ok(Self {
            now: now.to_owned(),
            before: before.join(","),
        })
    }
}

fn has_ledgers(data: &Path) -> bool {
    let folder = std::fs::read_dir(data.join("registry/gatewright-ledger"));
    folder.is_ok_and(|mut files| files.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(now: &str, before: &str) -> Shards {
        Shards {
            now: now.to_owned(),
            before: before.to_owned(),
        }
    }

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("shards-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_folder_remembers_the_numbers_it_had() {
        let data = folder("remembers");
        let of = |chosen: Option<&str>| Shards::of(&data, chosen.map(str::to_owned)).unwrap();
        assert_eq!(of(None), shards("16", ""));
        assert_eq!(of(Some("4")), shards("4", "16"));
        assert_eq!(of(Some("4")), shards("4", "16"));
        assert_eq!(of(Some("0")), shards("0", "4,16"));
        assert_eq!(of(Some("")), shards("16", "0,4"));
        std::fs::remove_dir_all(data).unwrap();
    }

    #[test]
    fn in_a_folder_of_an_earlier_release_each_owner_had_an_object() {
        let data = folder("earlier");
        let ledgers = data.join("registry/gatewright-ledger");
        std::fs::create_dir_all(&ledgers).unwrap();
        std::fs::write(ledgers.join("a.sqlite"), "").unwrap();
        assert_eq!(Shards::of(&data, None).unwrap(), shards("16", "0"));
        std::fs::remove_dir_all(data).unwrap();
    }

    #[test]
    fn anything_but_a_number_is_refused() {
        let data = folder("refused");
        for wrong in ["x", "-1", "1.5", "1000001"] {
            assert!(
                Shards::of(&data, Some(wrong.to_owned())).is_err(),
                "{wrong}"
            );
        }
        assert!(!data.join(FILE).exists());
        std::fs::remove_dir_all(data).unwrap();
    }
}
