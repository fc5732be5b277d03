//! Two texts, divided by a NUL, are compared: the patch leads from one to the other, and two
//! documents without changes say the same.
#![no_main]

use gatewright_model::diff::{NotExpressible, changes, merge_patch};
use gatewright_model::json::parse;
use gatewright_model::lines::{LineKind, line_diff};
use gatewright_model::merge::merge;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Some((before, after)) = text.split_once('\0') else {
        return;
    };
    let lines = line_diff(before, after);
    let old = lines.iter().filter(|(kind, _)| *kind != LineKind::Added);
    assert!(old.map(|(_, line)| line.as_str()).eq(before.lines()));
    let (Ok(old), Ok(new)) = (parse(before), parse(after)) else {
        return;
    };
    let same = old.same(&new);
    assert_eq!(
        changes(before, after).is_ok_and(|changes| changes.is_empty()),
        same
    );
    match merge_patch(before, after) {
        Ok(patch) => {
            let merged = merge(before, &patch).expect("both are JSON");
            let merged = parse(&merged).expect("a merge is JSON");
            assert!(merged.same(&new), "{patch}");
            if same && !old.members().is_empty() {
                assert_eq!(patch, "{}");
            }
        }
        Err(NotExpressible::Null { pointer }) => {
            assert!(new.pointer(&pointer).is_some_and(|value| value.is_null()));
            assert!(old.pointer(&pointer).is_none_or(|value| !value.is_null()));
        }
        Err(other) => panic!("{other}"),
    }
});
