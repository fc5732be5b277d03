//! Link 2: when an API or one of its versions expires (reference 3.4, *API/version expiry*).

mod date;

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::headers::AnswerEdit;
use crate::versions::is_unversioned;
use date::Moment;

/// The header that announces an expiry.
const HEADER: &str = "x-gateway-api-expires";

/// When an API and its version expire.
#[derive(Debug)]
pub struct Expiry {
    api: Option<Moment>,
    version: Option<Moment>,
    /// Whether the version's expiry refuses requests, rather than only being announced.
    version_ends: bool,
}

/// Parses an expiry: never if it is empty or `-1`, in the past if it is malformed.
fn end(text: Option<&str>) -> Option<Moment> {
    let text = text.filter(|text| !matches!(*text, "" | "-1"))?;
    Some(Moment::parse(text).unwrap_or_default())
}

impl Middleware for Expiry {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let api = end(from.definition.str("expiration"));
        let of_version = from.of_version("expires");
        let version = of_version.as_ref();
        let version = end(version.and_then(|(value, _)| value.as_str()));
        if let Some(moment) = api {
            from.origin("/expiration", moment.http());
        }
        if let Some((moment, (_, pointer))) = version.zip(of_version) {
            from.origin(pointer, moment.http());
        }
        (api.is_some() || version.is_some()).then(|| Self {
            api,
            version,
            version_ends: !is_unversioned(from.definition),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let is_past = |moment: &Moment| moment.ms() <= exchange.request.now_ms;
        if self.api.as_ref().is_some_and(is_past) {
            return Step::Reply(Failure::ApiExpired.into());
        }
        if self.version_ends && self.version.as_ref().is_some_and(is_past) {
            return Step::Reply(Failure::VersionExpired.into());
        }
        Step::Next
    }

    fn response(&self, exchange: &mut Exchange) {
        let now = exchange.request.now_ms;
        let ahead = [self.api, self.version].into_iter().flatten();
        // If both refuse requests, the earlier one matters to clients.
        let mut ahead = ahead.filter(|moment| moment.ms() > now);
        let announced = if self.version_ends {
            ahead.min_by_key(Moment::ms)
        } else {
            ahead.next()
        };
        if let Some(moment) = announced {
            exchange.edit_answer(AnswerEdit::Set(HEADER.to_owned(), moment.http()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::failure::{Failure, Reply};
    use crate::testing::{End, Sent, send};

    fn sent(api: &str, version: &str, data: &str) -> Sent {
        let definition = format!(
            r#"{{"expiration":"{api}",{data}"versions":{{"v":{{"expires":"{version}"}},"w":{{}}}}}}}}"#
        );
        send(&definition, "GET", "/x", &[])
    }

    const VERSIONED: &str = r#""definition":{"location":"header","key":"v"},"version_data":{"#;
    const UNVERSIONED: &str = r#""version_data":{"not_versioned":true,"#;

    fn announced(sent: &Sent) -> Option<String> {
        let headers = sent.answered(&[]).into_iter();
        let mut values = headers.filter(|(name, _)| name == "x-gateway-api-expires");
        values.next().map(|(_, value)| value)
    }

    #[test]
    fn future_expiry_is_announced() {
        let first = Some("Mon, 01 Jun 2099 00:00:00 UTC".to_owned());
        for (api, version) in [
            ("2099-06-01 00:00", ""),
            ("-1", "2099-06-01 00:00"),
            ("2099-06-01 00:00", "3000-01-02 15:04"),
        ] {
            for data in [VERSIONED, UNVERSIONED] {
                let sent = sent(api, version, data);
                assert_eq!(sent.end, End::Sent);
                assert_eq!(announced(&sent), first, "{api} {version}");
            }
        }
        let later = Some("Thu, 02 Jan 3000 15:04:00 UTC".to_owned());
        for (data, expected) in [(VERSIONED, first), (UNVERSIONED, later)] {
            let sent = sent("3000-01-02 15:04", "2099-06-01 0:00", data);
            assert_eq!(announced(&sent), expected, "{data}");
        }
        assert_eq!(announced(&sent("-1", "", VERSIONED)), None);
    }

    #[test]
    fn past_expiry_refuses() {
        let refused = |failure: Failure| End::Reply(Reply::from(failure));
        for past in [
            "2001-06-01 00:00",
            "2026-01-01 00:00",
            "next week",
            "1969-01-01 00:00",
        ] {
            assert_eq!(
                sent(past, "", UNVERSIONED).end,
                refused(Failure::ApiExpired),
                "{past}"
            );
            assert_eq!(
                sent("", past, VERSIONED).end,
                refused(Failure::VersionExpired),
                "{past}"
            );
            let unversioned = sent("2099-06-01 00:00", past, UNVERSIONED);
            assert_eq!(unversioned.end, End::Sent, "{past}");
            assert!(announced(&unversioned).is_some() && unversioned.answer().is_none());
        }
        assert_eq!(sent("2026-01-01 00:01", "", UNVERSIONED).end, End::Sent);
    }
}
