//! Link 10: the maximum body length of requests (`global_size_limit`, `extended_paths.size_limits`; reference 3.2,
//! *size*).
//!
//! The limits apply to the `Content-Length` sent by the client: a request without one, or a chunked one, is refused
//! (411), so no body is read to measure it. Methods that usually have no body are not measured, whatever rule names
//! them. The limit for a path applies to its method, and a rule without a method limits nothing. Both limits apply.
//! Bodies that a link asks for are subject to the gateway's own limit (413), which is that link's to report:
//! [`crate::chain::Settings::max_body_bytes`].

use crate::chain::{Compiler, Middleware, Step, counted};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::rules::PatternId;
use gatewright_model::amount::Amount;

/// The size limits of request bodies.
#[derive(Debug)]
pub struct SizeLimits {
    /// The limit for all paths, in bytes.
    global: Option<u64>,
    rows: Vec<PathLimit>,
}

/// The limit for a path and a method.
#[derive(Debug)]
struct PathLimit {
    path: PatternId,
    method: String,
    number: usize,
    /// The limit in bytes; below 0 not even an empty body passes.
    limit: i64,
}

/// The body length that a client states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stated {
    Bytes(u64),
    Nothing,
    /// Not a number.
    Unreadable,
}

/// The body length that a request states (RFC 9112 section 6).
fn stated(exchange: &Exchange) -> Stated {
    let header = |name: &str| exchange.request.headers.get(name);
    if header("transfer-encoding").is_some_and(|coding| !coding.trim().is_empty()) {
        return Stated::Nothing;
    }
    let Some(length) = header("content-length") else {
        return Stated::Nothing;
    };
    match length.trim() {
        "" => Stated::Nothing,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A length that overflows 64 bits exceeds any limit.
            Stated::Bytes(digits.parse().unwrap_or(u64::MAX))
        }
        _ => Stated::Unreadable,
    }
}

/// Checks a request's stated length against the limit for all paths, before anything is read.
pub(super) fn first(exchange: &Exchange, limit: u64) -> Option<Reply> {
    check(stated(exchange), Some(limit))
}

/// Refuses a request that states no length, or one above the limit.
fn check(stated: Stated, limit: Option<u64>) -> Option<Reply> {
    match stated {
        Stated::Nothing => Some(Failure::LengthRequired.into()),
        Stated::Unreadable => {
            let message = "content length is not a valid Integer".to_owned();
            Some(Reply::saying(Failure::BodyTooLarge, message))
        }
        Stated::Bytes(bytes) if limit.is_some_and(|limit| bytes <= limit) => None,
        Stated::Bytes(_) => Some(Failure::BodyTooLarge.into()),
    }
}

/// Methods that are not measured.
const UNMEASURED: [&str; 5] = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"];

/// `global_size_limit`; 0 or less sets no limit.
pub(super) fn global(from: &mut Compiler<'_>) -> Option<u64> {
    if from.version_switch("global_size_limit_disabled") {
        return None;
    }
    let (value, pointer) = from.of_version("global_size_limit")?;
    let amount = Amount::read(value);
    if !amount.is_positive() {
        return None;
    }
    let limit = u64::try_from(amount.floor()).unwrap_or_default();
    from.origin(pointer, counted_bytes(limit));
    Some(limit)
}

fn counted_bytes(bytes: u64) -> String {
    counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")
}

impl Middleware for SizeLimits {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let global = global(from);
        let rows = from.rows("size_limits").into_iter();
        let rows: Vec<PathLimit> = rows
            .map(|row| PathLimit {
                path: from.path(row.path()),
                method: row.method().to_owned(),
                number: row.number,
                limit: row
                    .value
                    .get("size_limit")
                    .map_or(0, |limit| Amount::read(limit).floor()),
            })
            .collect();
        from.origin_of_rules("size_limits", rows.len());
        (global.is_some() || !rows.is_empty()).then_some(Self { global, rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if UNMEASURED.contains(&exchange.request.method.as_str()) {
            return Step::Next;
        }
        if let Some(limit) = self.global {
            exchange.note(|| format!("the body may have {}", counted_bytes(limit)));
            if let Some(refusal) = check(stated(exchange), Some(limit)) {
                return Step::Reply(refusal);
            }
        }
        for row in exchange.applicable(&self.rows, &[], |row| (row.path, &row.method)) {
            let limit = u64::try_from(row.limit).ok();
            exchange.note(|| {
                let bytes = counted_bytes(limit.unwrap_or_default());
                format!(
                    "rule {} of size_limits: the body may have {bytes}",
                    row.number
                )
            });
            if let Some(refusal) = check(stated(exchange), limit) {
                return Step::Reply(refusal);
            }
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::failure::{Failure, Reply};
    use crate::testing::{End, send};

    fn definition(members: &str) -> String {
        format!(
            r#"{{"version_data":{{"versions":{{"v":{{"use_extended_paths":true,{members}}}}}}}}}"#
        )
    }

    fn status(definition: &str, method: &str, path: &str, length: &str) -> Option<u16> {
        let header = [("Content-Length", length)];
        let headers = if length.is_empty() {
            &[][..]
        } else {
            &header[..]
        };
        send(definition, method, path, headers).status()
    }

    #[test]
    fn global_limit_applies_to_methods_with_a_body() {
        let limited = definition(r#""global_size_limit":20"#);
        for (method, length, expected) in [
            ("POST", "20", None),
            ("POST", "21", Some(400)),
            ("PATCH", "21", Some(400)),
            ("POST", "", Some(411)),
            ("PUT", "0", None),
            ("GET", "21", None),
            ("GET", "", None),
            ("DELETE", "21", None),
            ("OPTIONS", "", None),
            ("POST", "99999999999999999999999", Some(400)),
            ("POST", "5, 5", Some(400)),
            ("POST", "-1", Some(400)),
            ("POST", "+1", Some(400)),
        ] {
            assert_eq!(
                status(&limited, method, "/", length),
                expected,
                "{method} {length}"
            );
        }
        let chunked = [("Transfer-Encoding", "chunked"), ("Content-Length", "3")];
        let sent = send(&limited, "POST", "/", &chunked);
        assert_eq!(sent.end, End::Reply(Reply::from(Failure::LengthRequired)));
    }

    #[test]
    fn a_limit_can_be_off() {
        for off in [
            r#""global_size_limit":3,"global_size_limit_disabled":true"#,
            r#""global_size_limit":0"#,
            r#""global_size_limit":-1"#,
            r#""extended_paths":{"size_limits":[{"path":"/","method":"POST","size_limit":3,"disabled":true}]}"#,
        ] {
            assert_eq!(status(&definition(off), "POST", "/", "9"), None, "{off}");
        }
    }

    #[test]
    fn path_limit_cannot_exceed_the_global_limit() {
        let both = definition(
            r#""global_size_limit":10,"extended_paths":{"size_limits":[
                {"path":"/small","method":"PUT","size_limit":3},{"path":"/large","method":"PUT","size_limit":90},
                {"path":"/none","size_limit":1},
                {"path":"/empty","method":"PUT","size_limit":0},{"path":"/never","method":"PUT","size_limit":-1}]}"#,
        );
        for (method, path, length, expected) in [
            ("PUT", "/small", "3", None),
            ("PUT", "/small/x", "4", Some(400)),
            ("POST", "/small", "4", None),
            ("PUT", "/large", "11", Some(400)),
            ("PUT", "/large", "10", None),
            ("PUT", "/none", "9", None),
            ("PUT", "/empty", "0", None),
            ("PUT", "/empty", "1", Some(400)),
            ("PUT", "/never", "0", Some(400)),
        ] {
            assert_eq!(
                status(&both, method, path, length),
                expected,
                "{method} {path} {length}"
            );
        }
    }

    #[test]
    fn methods_without_a_body_are_not_measured() {
        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            let limited = definition(&format!(
                r#""global_size_limit":2,"extended_paths":{{"size_limits":[{{"path":"/x","method":"{method}","size_limit":3}}]}}"#
            ));
            for length in ["", "0", "4", "four"] {
                assert_eq!(
                    status(&limited, method, "/x", length),
                    None,
                    "{method} {length}"
                );
            }
        }
    }

    #[test]
    fn link_names_its_members_as_origin() {
        let both = definition(
            r#""global_size_limit":1,"extended_paths":{"size_limits":[{"path":"/a","method":"PUT","size_limit":3}]}"#,
        );
        let sent = send(&both, "GET", "/", &[]);
        let origin = sent.exchange.chain.origins.first().unwrap();
        let version = "/version_data/versions/v";
        assert_eq!(
            origin.pointers,
            [
                format!("{version}/global_size_limit"),
                format!("{version}/extended_paths/size_limits")
            ]
        );
        assert_eq!(origin.detail, "1 byte, 1 rule");
    }
}
