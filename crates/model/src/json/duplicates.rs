//! Duplicate members of an object.

use super::pointer::Path;
use super::{LineIndex, Member, Value};
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::order::repeats;

/// Objects with more members than this are searched by sorting.
const FEW: usize = 16;

/// Whether two members have the same name. A few are compared pair by pair, many are sorted.
pub(super) fn any(members: &[Member<'_>]) -> bool {
    if members.len() <= FEW {
        let mut rest = members;
        while let Some((first, others)) = rest.split_first() {
            if others.iter().any(|other| other.name == first.name) {
                return true;
            }
            rest = others;
        }
        return false;
    }
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    !repeats(&names).is_empty()
}

/// Reports both positions of every duplicate; the issue is located at the later one.
pub(super) fn report(
    lines: &LineIndex<'_>,
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    for (index, item) in value.items().iter().enumerate() {
        report(lines, item, &path.element(index), findings);
    }
    if any(value.members()) {
        let members = value.members();
        let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
        for (later, first) in repeats(&names) {
            let (Some(member), Some(earlier)) = (members.get(later), members.get(first)) else {
                continue;
            };
            let position = lines.position(earlier.name_span.start);
            let message = format!(
                "the member {} is there twice, first at line {}, column {}; remove one",
                shown(&member.name),
                position.line,
                position.column
            );
            let path = path.member(&member.name);
            findings.error(IssueCode::DuplicateMember, member.name_span, &path, message);
        }
    }
    for member in value.members() {
        report(lines, &member.value, &path.member(&member.name), findings);
    }
}
