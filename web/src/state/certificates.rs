//! Certificates before they are stored, and their uses. Plain values.

use gatewright_model::json::{Value, parse};
use gatewright_model::text::base64;

use super::draft::plural;

/// The contents of a PEM text (RFC 7468).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Certificates.
    pub certificates: usize,
    /// Public keys.
    pub public_keys: usize,
    /// Private keys.
    pub private_keys: usize,
    /// Anything else.
    pub others: usize,
    /// Blocks that don't end.
    pub open: usize,
}

impl Blocks {
    /// Counts the blocks of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once("-----BEGIN ") {
            let Some((label, body)) = behind.split_once("-----") else {
                found.open = found.open.saturating_add(1);
                break;
            };
            if !body.contains(&format!("-----END {label}-----")) {
                found.open = found.open.saturating_add(1);
            }
            let count = match label {
                "CERTIFICATE" => &mut found.certificates,
                _ if label.ends_with("PRIVATE KEY") => &mut found.private_keys,
                _ if label.ends_with("PUBLIC KEY") => &mut found.public_keys,
                _ => &mut found.others,
            };
            *count = count.saturating_add(1);
            rest = body;
        }
        found
    }

    /// Whether there is anything to store.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        self.open == 0 && (self.certificates > 0 || self.public_keys > 0)
    }

    /// Describes what there is; if it can't be stored, why.
    #[must_use]
    pub fn summary(self) -> String {
        let parts = [
            (self.certificates, "certificate"),
            (self.public_keys, "public key"),
            (self.private_keys, "private key"),
            (self.others, "other block"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, noun)| plural(count, noun)).collect();
        let parts = parts.join(", ");
        if self.open > 0 {
            "A block has no end: was all of it copied?".to_owned()
        } else if parts.is_empty() {
            "There is no block that starts with -----BEGIN.".to_owned()
        } else if !self.is_usable() {
            format!("{parts}, and no certificate or public key.")
        } else {
            format!("{parts}.")
        }
    }
}

/// Returns the text of a file: unchanged, or the PEM of a certificate or a public key in DER.
///
/// # Errors
/// A sentence about a file that is neither.
pub fn as_pem(bytes: &[u8]) -> Result<String, &'static str> {
    // Anything that doesn't start like DER is taken to be text.
    if bytes.first() != Some(&SEQUENCE) {
        return String::from_utf8(bytes.to_vec())
            .map_err(|_| "The file is neither a text nor a certificate in DER.");
    }
    // A certificate starts with the signed part, which starts with a version or a serial number; a public key starts
    // with the identifier of its algorithm (RFC 5280 section 4.1).
    let label = match inside(bytes)
        .and_then(|inner| Some((inner.first()?, inside(inner)?.first()?)))
    {
        Some((&SEQUENCE, &NAME)) => "PUBLIC KEY",
        Some((&SEQUENCE, _)) => "CERTIFICATE",
        _ => {
            return Err(
                "The file is not a certificate: it may be a private key or PKCS #12. Convert it to PEM.",
            );
        }
    };
    let text = base64::encode(bytes);
    let lines: Vec<&str> = (0..text.len())
        .step_by(64)
        .filter_map(|at| text.get(at..text.len().min(at.saturating_add(64))))
        .collect();
    Ok(format!(
        "-----BEGIN {label}-----\n{}\n-----END {label}-----\n",
        lines.join("\n")
    ))
}

/// The DER tags of a sequence and of an object identifier (X.690 section 8).
const SEQUENCE: u8 = 0x30;
const NAME: u8 = 0x06;

/// Returns the contents of the first element.
fn inside(bytes: &[u8]) -> Option<&[u8]> {
    let length = *bytes.get(1)?;
    // The long form starts with the number of bytes of the length.
    let more = if length < 0x80 { 0 } else { length & 0x7f };
    bytes.get(usize::from(more).saturating_add(2)..)
}

/// An API that references a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The id of the API.
    pub api_id: String,
    /// The API's name.
    pub name: String,
    /// What it uses the certificate for.
    pub uses: Vec<&'static str>,
}

/// The members of a definition that reference certificates, and their purposes.
const USES: [(&str, &str); 5] = [
    ("/client_certificates", "accepts clients with it"),
    ("/request_signing/certificate_id", "signs requests with it"),
    ("/upstream_certificates", "presents it to upstreams"),
    ("/certificates", "serves its domain with it"),
    ("/pinned_public_keys", "expects it from upstreams"),
];

/// Returns the APIs in a list of definitions that reference a certificate, in the order of the list.
#[must_use]
pub fn users(definitions: &str, id: &str) -> Vec<User> {
    let Ok(list) = parse(definitions) else {
        return Vec::new();
    };
    let of = |definition: &Value<'_>| {
        let uses = USES.into_iter().filter(|(pointer, _)| {
            let member = definition.pointer(pointer);
            member.is_some_and(|member| names(member, id))
        });
        let uses: Vec<&'static str> = uses.map(|(_, word)| word).collect();
        let text = |name: &str| definition.str(name).unwrap_or_default().to_owned();
        (!uses.is_empty()).then(|| User {
            api_id: text("api_id"),
            name: text("name"),
            uses,
        })
    };
    list.items().iter().filter_map(of).collect()
}

/// Whether a value is the id, or a list or an object that contains it; a text may have several ids, separated by
/// commas.
fn names(value: &Value<'_>, id: &str) -> bool {
    let is_id = |text: &str| text.split(',').any(|part| part.trim() == id);
    value.as_str().is_some_and(is_id)
        || value.items().iter().any(|item| names(item, id))
        || value
            .members()
            .iter()
            .any(|member| names(&member.value, id))
}

/// How long before its end a certificate is marked, in milliseconds.
const SOON_MS: f64 = 30.0 * 86_400_000.0;

/// Returns the state of a certificate: its badge's class and label. Times are milliseconds since 1970; NaN or 0 as the
/// end means that it has none, as for public keys.
#[must_use]
pub fn validity(now_ms: f64, begins_ms: f64, ends_ms: f64) -> (&'static str, &'static str) {
    if ends_ms.is_nan() || ends_ms <= 0.0 {
        ("inactive", "Never expires")
    } else if ends_ms <= now_ms {
        ("deleted", "Expired")
    } else if begins_ms > now_ms {
        ("inactive", "Not yet valid")
    } else if ends_ms - now_ms < SOON_MS {
        ("pending", "Expires soon")
    } else {
        ("live", "Valid")
    }
}

/// Formats a fingerprint with colons between its bytes, as other tools do.
#[must_use]
pub fn with_colons(fingerprint: &str) -> String {
    let letters: Vec<char> = fingerprint.to_ascii_uppercase().chars().collect();
    let bytes: Vec<String> = letters
        .chunks(2)
        .map(|byte| byte.iter().collect())
        .collect();
    bytes.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn text_is_described_before_sending() {
        let block = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
        let both = block("CERTIFICATE") + &block("EC PRIVATE KEY") + &block("CERTIFICATE");
        let found = Blocks::of(&both);
        assert!(found.is_usable());
        assert_eq!(found.summary(), "2 certificates, 1 private key.");
        let key = Blocks::of(&block("PUBLIC KEY"));
        assert!(key.is_usable() && key.public_keys == 1);
        let alone = Blocks::of(&block("RSA PRIVATE KEY"));
        assert!(!alone.is_usable());
        assert_eq!(
            alone.summary(),
            "1 private key, and no certificate or public key."
        );
        for (text, said) in [
            ("AAAA", "There is no block that starts with -----BEGIN."),
            ("", "There is no block that starts with -----BEGIN."),
            (
                "-----BEGIN CERTIFICATE-----\nAAAA",
                "A block has no end: was all of it copied?",
            ),
            ("-----BEGIN ", "A block has no end: was all of it copied?"),
        ] {
            let found = Blocks::of(text);
            assert_eq!((found.is_usable(), found.summary().as_str()), (false, said));
        }
    }

    #[test]
    fn a_file_in_der_becomes_pem() {
        let der = |inner: &[u8], filler: usize| {
            let mut der = vec![0x30, 0x82, 1, 0];
            der.extend(inner);
            der.extend(vec![0; filler]);
            der
        };
        // A sequence with a version, one with a serial number, and one that starts with the identifier of an algorithm.
        for (inner, label) in [
            (&[0x30, 0x81, 200, 0xa0][..], "CERTIFICATE"),
            (&[0x30, 20, 0x02], "CERTIFICATE"),
            (&[0x30, 13, 0x06], "PUBLIC KEY"),
        ] {
            let pem = as_pem(&der(inner, 60)).unwrap();
            let lines: Vec<&str> = pem.lines().collect();
            assert_eq!(lines.first(), Some(&&*format!("-----BEGIN {label}-----")));
            assert!(lines.iter().all(|line| line.len() <= 64) && lines.len() == 4);
            assert_eq!(
                base64::decode(&lines[1..3].concat()),
                Some(der(inner, 60)),
                "{label}"
            );
            assert!(Blocks::of(&pem).is_usable());
        }
        assert_eq!(as_pem(b"-----BEGIN").as_deref(), Ok("-----BEGIN"));
        for (bytes, why) in [
            (&der(&[0x02, 1], 9)[..], "private key or PKCS #12"),
            (&[0x30], "private key or PKCS #12"),
            (&[0xff, 0xfe], "neither a text"),
        ] {
            assert!(as_pem(bytes).unwrap_err().contains(why), "{bytes:?}");
        }
    }

    #[test]
    fn apis_name_certificates_in_several_members() {
        let list = r#"[{"api_id":"a","name":"A","client_certificates":["x","c1"]},
            {"api_id":"b","upstream_certificates":{"*":"c1"},"request_signing":{"certificate_id":"c1"}},
            {"api_id":"c","pinned_public_keys":{"h":"c0, c1"}},
            {"api_id":"d","client_certificates":["c11"],"description":"c1"}]"#;
        let found = users(list, "c1");
        let ids: Vec<&str> = found.iter().map(|user| user.api_id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(
            found[1].uses,
            ["signs requests with it", "presents it to upstreams"]
        );
        assert_eq!((&*found[0].name, users("{", "c1").len()), ("A", 0));
    }

    #[test]
    fn expiring_and_expired_are_distinguished() {
        let day = 86_400_000.0;
        let now = 1000.0 * day;
        for (begins, ends, word) in [
            (999.0, 1001.0, "Expires soon"),
            (999.0, 1000.0, "Expired"),
            (999.0, 1100.0, "Valid"),
            (1001.0, 1100.0, "Not yet valid"),
            (0.0, f64::NAN, "Never expires"),
            (-9e5, -9e5, "Never expires"),
        ] {
            assert_eq!(validity(now, begins * day, ends * day).1, word);
        }
    }

    #[test]
    fn fingerprints_have_the_usual_format() {
        assert_eq!(with_colons("0aff1"), "0A:FF:1");
    }
}
