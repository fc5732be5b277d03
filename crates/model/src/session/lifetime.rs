//! How long the record of a key is retained (reference section 2.1, *Storage lifetime*).

use super::{Session, integer};
use crate::json::Value;

/// What happens to the record of a key after it expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PostExpiry {
    /// Not specified: lifetimes decide.
    #[default]
    Unset,
    /// It is deleted.
    Delete,
    /// It is retained for this many more seconds.
    Retain(i64),
    /// It is retained for ever.
    RetainForEver,
}

impl PostExpiry {
    /// Reads `post_expiry_action` and `post_expiry_grace_period`. Retention for 0 seconds counts as not specified.
    pub(super) fn read(value: &Value<'_>) -> Self {
        let grace = integer(value, "post_expiry_grace_period");
        match value.str("post_expiry_action") {
            Some("delete") => Self::Delete,
            Some("retain") if grace > 0 => Self::Retain(grace),
            Some("retain") if grace < 0 => Self::RetainForEver,
            _ => Self::Unset,
        }
    }
}

/// The lifetime settings of the gateway and of a key's APIs, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes<'a> {
    /// The settings of every API that the key names.
    pub apis: &'a [ApiLifetime],
    /// `session_lifetime_respects_key_expiration` of the gateway, which applies to every API.
    pub respects_expiration: bool,
    /// `global_session_lifetime` if `force_global_session_lifetime` is on.
    pub forced: Option<i64>,
}

/// The lifetime settings of one API for its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ApiLifetime {
    /// `session_lifetime`, in seconds; 0 or less for ever.
    pub session_lifetime: i64,
    /// `session_lifetime_respects_key_expiration`.
    pub respects_expiration: bool,
}

impl Session {
    /// Returns for how many seconds from `now` (Unix seconds) the record is retained; `None` for ever. With several
    /// APIs the longest lifetime counts. A record whose time is over is retained for one more second.
    #[must_use]
    pub fn lifetime(&self, of: &Lifetimes<'_>, now: i64) -> Option<i64> {
        if let Some(global) = of.forced {
            return finite(global);
        }
        let left = self.expires.saturating_sub(now);
        match self.post_expiry {
            PostExpiry::RetainForEver => return None,
            PostExpiry::Delete if self.expires > 0 => return Some(left.max(1)),
            PostExpiry::Retain(grace) if self.expires > 0 => {
                return Some(left.saturating_add(grace).max(1));
            }
            // Without an expiry there is nothing after it.
            PostExpiry::Delete | PostExpiry::Retain(_) => return None,
            PostExpiry::Unset => {}
        }
        let alone = [ApiLifetime::default()];
        let apis = if of.apis.is_empty() { &alone } else { of.apis };
        let each = apis.iter().map(|api| {
            let respects = of.respects_expiration || api.respects_expiration;
            self.for_api(api.session_lifetime, respects, left)
        });
        // If a single API retains it for ever, so do all.
        each.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    fn for_api(&self, api: i64, respects_expiration: bool, left: i64) -> Option<i64> {
        let own = Some(self.session_lifetime).filter(|wish| *wish > 0);
        let lifetime = own.or_else(|| finite(api))?;
        match respects_expiration {
            true if self.expires <= 0 => None,
            true => Some(lifetime.max(left)),
            false => Some(lifetime),
        }
    }
}

/// 0 and less mean for ever.
fn finite(seconds: i64) -> Option<i64> {
    Some(seconds).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn session(session_lifetime: i64, expires: i64) -> Session {
        Session {
            session_lifetime,
            expires,
            ..Session::default()
        }
    }

    fn lifetime(session: &Session, apis: &[i64], respects_expiration: bool) -> Option<i64> {
        let api = |session_lifetime: &i64| ApiLifetime {
            session_lifetime: *session_lifetime,
            respects_expiration: false,
        };
        let apis: Vec<_> = apis.iter().map(api).collect();
        let of = Lifetimes {
            apis: &apis,
            respects_expiration,
            forced: None,
        };
        session.lifetime(&of, NOW)
    }

    #[test]
    fn the_examples_of_the_reference() {
        let key = session(1, NOW + 5);
        assert_eq!(lifetime(&key, &[2], false), Some(1));
        assert_eq!(lifetime(&key, &[2], true), Some(5));
        assert_eq!(lifetime(&session(0, NOW + 5), &[2], false), Some(2));
        assert_eq!(lifetime(&session(0, NOW + 5), &[0], false), None);
        assert_eq!(lifetime(&session(0, NOW + 5), &[-1], true), None);
        assert_eq!(lifetime(&session(1, 0), &[2], true), None);
        assert_eq!(lifetime(&session(9, NOW + 5), &[2], true), Some(9));
        assert_eq!(lifetime(&session(0, 0), &[2, 7, 3], false), Some(7));
        assert_eq!(lifetime(&session(0, 0), &[2, 0], false), None);
        assert_eq!(lifetime(&session(4, 0), &[], false), Some(4));
        assert_eq!(lifetime(&session(0, 0), &[], false), None);
    }

    #[test]
    fn an_api_may_respect_the_end_alone() {
        let api = |session_lifetime, respects_expiration| ApiLifetime {
            session_lifetime,
            respects_expiration,
        };
        let of = |apis: &[ApiLifetime]| {
            let of = Lifetimes {
                apis,
                ..Lifetimes::default()
            };
            session(0, NOW + 50).lifetime(&of, NOW)
        };
        assert_eq!(of(&[api(20, false), api(10, true)]), Some(50));
        assert_eq!(of(&[api(20, false), api(10, false)]), Some(20));
    }

    #[test]
    fn the_forced_value_comes_first() {
        let key = Session {
            post_expiry: PostExpiry::Delete,
            ..session(1, NOW + 5)
        };
        for (forced, expected) in [(30, Some(30)), (0, None)] {
            let of = Lifetimes {
                apis: &[],
                respects_expiration: true,
                forced: Some(forced),
            };
            assert_eq!(key.lifetime(&of, NOW), expected);
        }
    }

    #[test]
    fn explicit_expiry_precedes_lifetimes() {
        for (post_expiry, expires, expected) in [
            (PostExpiry::Delete, NOW + 100, Some(100)),
            (PostExpiry::Delete, NOW - 100, Some(1)),
            (PostExpiry::Delete, 0, None),
            (PostExpiry::Retain(10), NOW + 100, Some(110)),
            (PostExpiry::Retain(10), NOW - 50, Some(1)),
            (PostExpiry::RetainForEver, NOW + 100, None),
            (PostExpiry::Unset, NOW + 100, Some(20)),
        ] {
            let key = Session {
                post_expiry,
                ..session(0, expires)
            };
            assert_eq!(lifetime(&key, &[20], false), expected, "{post_expiry:?}");
        }
    }

    #[test]
    fn retain_needs_a_grace_period() {
        for (text, expected) in [
            (r#"{"post_expiry_action":"retain"}"#, PostExpiry::Unset),
            (
                r#"{"post_expiry_action":"retain","post_expiry_grace_period":-1}"#,
                PostExpiry::RetainForEver,
            ),
            (
                r#"{"post_expiry_action":"retain","post_expiry_grace_period":60}"#,
                PostExpiry::Retain(60),
            ),
            (
                r#"{"post_expiry_action":"delete","post_expiry_grace_period":60}"#,
                PostExpiry::Delete,
            ),
            (r#"{"post_expiry_grace_period":60}"#, PostExpiry::Unset),
        ] {
            assert_eq!(Session::parse(text).unwrap().post_expiry, expected);
        }
    }
}
