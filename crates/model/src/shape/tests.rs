use super::*;
use std::collections::BTreeSet;

fn visit(kind: &Kind, seen: &mut BTreeSet<&'static str>) {
    match kind {
        Kind::Array(inner) | Kind::Map(_, inner) => visit(inner, seen),
        Kind::Object(inner) => visit_type(inner, seen),
        _ => {}
    }
}

fn visit_type(of: &'static Type, seen: &mut BTreeSet<&'static str>) {
    if !seen.insert(of.name) {
        return;
    }
    let mut names = BTreeSet::new();
    for member in of.members {
        let qualified = format!("{}.{}", of.name, member.name);
        assert!(names.insert(member.name), "{qualified} is there twice");
        assert!(
            !member.doc.is_empty() && !member.doc.ends_with('.'),
            "{qualified}: one sentence, no full stop"
        );
        assert!(!member.doc.contains('\n'), "{qualified}");
        if let Some(json) = member.default() {
            assert!(
                crate::json::parse(json).is_ok(),
                "{qualified}: the default is JSON"
            );
        }
        if let Some(other) = member.unless() {
            assert!(
                matches!(*of.member(other).unwrap().kind, Kind::Bool),
                "{qualified}: what switches it off is a boolean"
            );
        }
        if let Some(other) = member.needs() {
            let known = match other.strip_prefix('/') {
                Some(_) => at(Root::ApiDefinition, other).map(|spot| spot.kind),
                None => of.member(other).map(|member| *member.kind),
            };
            assert!(
                matches!(known, Some(Kind::Bool)),
                "{qualified} needs a boolean"
            );
        }
        visit(member.kind, seen);
    }
    if let Switch::On(name) | Switch::Off(name) = of.switch {
        assert!(
            matches!(*of.member(name).unwrap().kind, Kind::Bool),
            "{}: the switch is a boolean",
            of.name
        );
    }
}

#[test]
fn the_table_is_consistent() {
    let mut seen = BTreeSet::new();
    for root in Root::ALL {
        visit_type(root.shape(), &mut seen);
        assert_eq!(Root::from_word(root.word()), Some(root));
    }
    assert!(seen.len() > 70, "{}", seen.len());
}
