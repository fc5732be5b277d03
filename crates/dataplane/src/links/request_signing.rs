//! Link 37: signs requests to the upstream (`request_signing`; reference 3.8, *Request signing*).
//!
//! The link decides whether and how; the text to sign is known when the request is sent. HMAC-SHA256, the most frequent
//! algorithm, is computed here: the platform's own would have the request wait for a promise. The platform makes all
//! other signatures, with HMAC (RFC 2104) or RSASSA-PKCS1-v1_5 (RFC 8017), the latter with the key of a stored
//! certificate. The signed path is the one that is sent, including that of the target.

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::Failure;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::Value;
use gatewright_model::text::percent::encode_query;
use gatewright_protocol::time::http_date;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use sha2::Sha256;
use std::rc::Rc;

/// The algorithms, and the platform's names for their hashes.
const ALGORITHMS: [(&str, &str); 5] = [
    ("hmac-sha1", "SHA-1"),
    (HMAC, "SHA-256"),
    ("hmac-sha384", "SHA-384"),
    ("hmac-sha512", "SHA-512"),
    (RSA, "SHA-256"),
];

/// The algorithm that signs with a certificate instead of a secret.
const RSA: &str = "rsa-sha256";

/// The algorithm that needs no platform.
const HMAC: &str = "hmac-sha256";

/// Signs requests, or refuses all of them because the definition is incomplete.
#[derive(Debug)]
pub struct RequestSigning {
    signing: Result<Rc<Signing>, Failure>,
}

/// How requests are signed.
pub struct Signing {
    key_id: String,
    /// The secret, or the certificate's id.
    secret: String,
    /// For [`HMAC`], the secret as its key.
    hmac: Option<Hmac<Sha256>>,
    algorithm: &'static str,
    hash: &'static str,
    /// The headers to sign, as written.
    headers: Vec<String>,
    /// The header for the signature, in lower case.
    header: String,
}

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signing(…)")
    }
}

/// A request's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signature {
    /// A header and its value.
    Made(String, String),
    /// The platform makes it.
    Asked(Sign),
}

/// The text for the platform to sign, and where to put the signature.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Sign {
    hash: &'static str,
    /// Whether `secret` is the id of a certificate.
    rsa: bool,
    secret: String,
    text: String,
    header: String,
    /// The text before the signature; a quotation mark follows it.
    before: String,
}

impl std::fmt::Debug for Sign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sign(…)")
    }
}

fn read(definition: &Value<'_>, signing: &Value<'_>) -> Result<Signing, Failure> {
    let text = |name: &str| signing.str(name).unwrap_or_default();
    let (key_id, name) = (text("key_id"), text("algorithm"));
    let secret = match name {
        RSA => text("certificate_id"),
        _ => text("secret"),
    };
    if [key_id, secret, name].contains(&"") {
        return Err(Failure::SigningFields);
    }
    let texts = |value: Option<&Value<'_>>| -> Vec<String> {
        let items = value.map(Value::items).unwrap_or_default().iter();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let allowed = texts(definition.get("hmac_allowed_algorithms"));
    let is_allowed = allowed.is_empty() || allowed.iter().any(|one| one == name);
    let known = ALGORITHMS.into_iter().find(|(known, _)| *known == name);
    let (algorithm, hash) = known
        .filter(|_| is_allowed)
        .ok_or(Failure::SigningAlgorithm)?;
    let header = Some(text("signature_header")).filter(|header| !header.is_empty());
    Ok(Signing {
        key_id: key_id.to_owned(),
        secret: secret.to_owned(),
        hmac: match algorithm {
            HMAC => Hmac::new_from_slice(secret.as_bytes()).ok(),
            _ => None,
        },
        algorithm,
        hash,
        headers: texts(signing.get("header_list")),
        header: header.unwrap_or("authorization").to_ascii_lowercase(),
    })
}

impl Middleware for RequestSigning {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let signing = from.definition.get("request_signing")?;
        if signing.bool("is_enabled") != Some(true) {
            return None;
        }
        let signing = read(from.definition, signing);
        let algorithm = signing.as_ref().map_or("", |signing| signing.algorithm);
        from.origin("/request_signing", algorithm);
        Some(Self {
            signing: signing.map(Rc::new),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        match &self.signing {
            Ok(signing) => {
                exchange.signing = Some(Rc::clone(signing));
                Step::Next
            }
            Err(failure) => Step::Reply((*failure).into()),
        }
    }
}

impl Signing {
    /// Makes or prepares the signature of a request sent to a URL. If the date is to be signed, a request without one
    /// gets it.
    pub fn sign(&self, exchange: &mut Exchange, url: &str) -> Signature {
        let (text, mut before) = self.signed(exchange, url);
        if let Some(hmac) = &self.hmac {
            let code = hmac.clone().chain_update(&text).finalize().into_bytes();
            before.push_str(&encode_query(&BASE64_STANDARD.encode(code)));
            before.push('"');
            return Signature::Made(self.header.clone(), before);
        }
        Signature::Asked(Sign {
            hash: self.hash,
            rsa: self.algorithm == RSA,
            secret: self.secret.clone(),
            text,
            header: self.header.clone(),
            before,
        })
    }

    /// The text to sign, and the start of the header up to the signature.
    fn signed(&self, exchange: &mut Exchange, url: &str) -> (String, String) {
        // The runtime takes `Host` from the target.
        let is_there = |name: &&String| {
            let value = exchange.header(&name.to_ascii_lowercase());
            *name != "host" && value.is_some_and(|value| !value.is_empty())
        };
        let mut names: Vec<&str> = self
            .headers
            .iter()
            .filter(is_there)
            .map(String::as_str)
            .collect();
        if names.is_empty() {
            names = vec!["(request-target)", "date"];
            if exchange.header("date").is_none() {
                let now = http_date(exchange.isolate.now_ms(), "GMT");
                exchange.set_header("date", &now);
            }
        }
        let line = |name: &&str| {
            let name = name.to_ascii_lowercase();
            let value = if name == "(request-target)" {
                let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
                let path = behind.find(['/', '?']).and_then(|at| behind.get(at..));
                let method = exchange.sent_method().to_ascii_lowercase();
                format!("{method} {}", path.unwrap_or("/"))
            } else {
                exchange.header(&name).unwrap_or_default()
            };
            format!("{name}: {value}")
        };
        let lines: Vec<String> = names.iter().map(line).collect();
        let Self {
            key_id, algorithm, ..
        } = self;
        let names = names.join(" ");
        let before = format!(
            "Signature keyId=\"{key_id}\",algorithm=\"{algorithm}\",headers=\"{names}\",signature=\""
        );
        (lines.join("\n"), before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Reply;
    use crate::testing::{End, send};

    const SIGNING: &str = r#""request_signing":{"is_enabled":true,"key_id":"gate","secret":"s3cr3t","algorithm":"hmac-sha256","header_list":["x-a","X-B","host"]"#;

    /// The text that is signed, the start of the header, and the signature of a request.
    fn sign(members: &str, headers: &[(&str, &str)]) -> (String, String, Signature, Exchange) {
        let sent = send(&format!("{{{members}}}"), "POST", "/x?q=1", headers);
        let mut exchange = sent.exchange;
        let signing = exchange.signing.take().unwrap();
        let url = "http://up:8080/base/x?q=a%20b";
        let (text, before) = signing.signed(&mut exchange, url);
        let signature = signing.sign(&mut exchange, url);
        (text, before, signature, exchange)
    }

    #[test]
    fn listed_headers_present_are_signed() {
        let (text, before, signature, _) = sign(
            &format!("{SIGNING}}}"),
            &[("X-B", "two  words"), ("X-A", "1")],
        );
        assert_eq!(text, "x-a: 1\nx-b: two  words");
        assert_eq!(
            before,
            r#"Signature keyId="gate",algorithm="hmac-sha256",headers="x-a X-B",signature=""#
        );
        // `printf 'x-a: 1\nx-b: two  words' | openssl dgst -sha256 -hmac s3cr3t -binary | base64`
        let code = "7WVXUeA9lNi%2FHsnvBb45gI7XsJCSWaYGEH2QqYkRTBU%3D";
        let value = format!("{before}{code}\"");
        assert_eq!(
            signature,
            Signature::Made("authorization".to_owned(), value)
        );
    }

    #[test]
    fn other_hashes_are_the_platforms() {
        let signing = SIGNING.replace("hmac-sha256", "hmac-sha512");
        let (text, before, signature, _) = sign(&format!("{signing}}}"), &[("X-A", "1")]);
        assert_eq!(text, "x-a: 1");
        let sign = Sign {
            hash: "SHA-512",
            rsa: false,
            secret: "s3cr3t".to_owned(),
            text,
            header: "authorization".to_owned(),
            before,
        };
        assert_eq!(signature, Signature::Asked(sign));
    }

    #[test]
    fn header_without_value_counts_as_absent() {
        let headers = [("X-B", "two"), ("X-A", "")];
        let (text, before, ..) = sign(&format!("{SIGNING}}}"), &headers);
        assert_eq!(text, "x-b: two");
        assert!(before.contains(r#"headers="X-B""#));
    }

    #[test]
    fn a_certificate_signs_instead_of_a_secret() {
        let signing = SIGNING.replace("hmac-sha256", "rsa-sha256");
        let members = format!(r#"{signing},"certificate_id":"acme12"}}"#);
        let (_, before, signature, _) = sign(&members, &[("X-A", "1")]);
        let Signature::Asked(signed) = signature else {
            panic!("{signature:?}")
        };
        assert_eq!(
            (signed.rsa, signed.secret.as_str(), signed.hash),
            (true, "acme12", "SHA-256")
        );
        assert!(before.contains(r#"algorithm="rsa-sha256""#));
        let sent = send(&format!("{{{signing}}}}}"), "GET", "/", &[]);
        assert_eq!(sent.end, End::Reply(Reply::from(Failure::SigningFields)));
        let by_secret = format!("{{{SIGNING}}}}}").replace("\"hmac-sha256\"", "\"rsa-sha256\"");
        let sent = send(&by_secret, "GET", "/", &[]);
        assert_eq!(sent.end, End::Reply(Reply::from(Failure::SigningFields)));
    }

    #[test]
    fn without_any_of_them_target_and_date_are_signed() {
        let members = format!(r#"{SIGNING},"signature_header":"X-Sign"}}"#);
        let date = "Tue, 02 Jan 2024 03:04:05 GMT";
        let (text, before, signature, _) = sign(&members, &[("Date", date)]);
        assert_eq!(
            text,
            format!("(request-target): post /base/x?q=a%20b\ndate: {date}")
        );
        assert!(matches!(signature, Signature::Made(header, _) if header == "x-sign"));
        assert!(before.contains(r#"headers="(request-target) date""#));
        let (text, _, _, exchange) = sign(&members, &[]);
        let now = "Thu, 01 Jan 2026 00:00:00 GMT";
        assert!(text.ends_with(now), "{text}");
        assert_eq!(exchange.header("date").as_deref(), Some(now));
    }

    #[test]
    fn unusable_signing_key_refuses() {
        for (from, to, failure) in [
            (r#""gate""#, r#""""#, Failure::SigningFields),
            (r#""s3cr3t""#, r#""""#, Failure::SigningFields),
            (r#""hmac-sha256""#, r#""""#, Failure::SigningFields),
            (
                r#""hmac-sha256""#,
                r#""hmac-md5""#,
                Failure::SigningAlgorithm,
            ),
            (
                r#""hmac-sha256""#,
                r#""HMAC-SHA256""#,
                Failure::SigningAlgorithm,
            ),
        ] {
            let definition = format!("{{{SIGNING}}}}}").replace(from, to);
            let sent = send(&definition, "GET", "/", &[]);
            assert_eq!(sent.end, End::Reply(Reply::from(failure)), "{to}");
        }
        let allowed = format!(r#"{{"hmac_allowed_algorithms":["hmac-sha512"],{SIGNING}}}}}"#);
        let sent = send(&allowed, "GET", "/", &[]);
        assert_eq!(sent.end, End::Reply(Reply::from(Failure::SigningAlgorithm)));
        let off = format!("{{{SIGNING}}}}}").replace("true", "false");
        assert!(send(&off, "GET", "/", &[]).exchange.signing.is_none());
    }
}
