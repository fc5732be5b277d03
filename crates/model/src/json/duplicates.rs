//! Members named twice in one object.

use super::pointer::Path;
use super::{LineIndex, Member, Value};
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;

/// Objects with more members than this are searched by sorting.
const FEW: usize = 16;

/// Whether two members have the same name: few are compared pair by pair, many sorted.
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
    let mut names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    names.sort_unstable();
    names
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
}

/// Names both places of every duplicate: the issue stands at the later one.
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
        let mut order: Vec<&Member<'_>> = value.members().iter().collect();
        order.sort_by(|a, b| a.name.cmp(&b.name));
        let mut first: Option<&Member<'_>> = None;
        for member in order {
            match first {
                Some(earlier) if earlier.name == member.name => {
                    let place = lines.position(earlier.name_span.start);
                    let message = format!(
                        "the member {} is there twice, first at line {}, column {}; remove one",
                        shown(&member.name),
                        place.line,
                        place.column
                    );
                    findings.error(
                        IssueCode::DuplicateMember,
                        member.name_span,
                        &path.member(&member.name),
                        message,
                    );
                }
                _ => first = Some(member),
            }
        }
    }
    for member in value.members() {
        report(lines, &member.value, &path.member(&member.name), findings);
    }
}
