//! Certificates. The gateway never sends a private key, only whether it has one.

use gatewright_model::json::Value;
use gloo_net::http::Method;

use super::access::KeyRow;
use super::group::Page;
use super::read::{Read, flag, needed, text, texts};
use super::{Api, ApiError, Call};
use crate::state::certificates::{User, users};
use crate::state::query_string::encode;

/// The path of their endpoints.
const PATH: &str = "/gateway/certs";

/// A certificate as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Its id: the organisation followed by the fingerprint.
    pub id: String,
    /// The subject it is issued to.
    pub subject: String,
    /// The authority that issued it.
    pub issuer: String,
    /// The host names it is valid for.
    pub dns_names: Vec<String>,
    /// The start of its validity, RFC 3339.
    pub not_before: String,
    /// The end of its validity, RFC 3339.
    pub not_after: String,
    /// Whether its private key is stored with it.
    pub has_private: bool,
    /// Whether it belongs to a certificate authority.
    pub is_ca: bool,
}

impl Read for Certificate {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id: value.str("id").ok_or("id")?.to_owned(),
            subject: text(value, "subject_cn"),
            issuer: text(value, "issuer_cn"),
            dns_names: texts(value.get("dns_names")),
            not_before: text(value, "not_before"),
            not_after: text(value, "not_after"),
            has_private: flag(value, "has_private"),
            is_ca: flag(value, "is_ca"),
        })
    }
}

/// The list of all certificates.
struct Certificates(Vec<Certificate>);

impl Read for Certificates {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        needed(value, "certs").map(Self)
    }
}

/// A certificate with everything that is known about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The columns of the list.
    pub certificate: Certificate,
    /// The SHA-256 of the certificate, in hexadecimal.
    pub fingerprint: String,
    /// The subject: labels and values of its name's attributes.
    pub subject: Vec<(&'static str, String)>,
    /// The issuer, likewise.
    pub issuer: Vec<(&'static str, String)>,
}

/// The attributes of a distinguished name and their labels, in the order in which they are shown.
const NAME: [(&str, &str); 8] = [
    ("CommonName", "Common name"),
    ("Organization", "Organisation"),
    ("OrganizationalUnit", "Unit"),
    ("StreetAddress", "Street"),
    ("PostalCode", "Postal code"),
    ("Locality", "Place"),
    ("Province", "Province"),
    ("Country", "Country"),
];

fn name(value: Option<&Value<'_>>) -> Vec<(&'static str, String)> {
    let entry = |(member, label): (&str, &'static str)| {
        let member = value?.get(member)?;
        let text = match member.as_str() {
            Some(text) => text.to_owned(),
            None => texts(Some(member)).join(", "),
        };
        (!text.is_empty()).then_some((label, text))
    };
    NAME.into_iter().filter_map(entry).collect()
}

impl Read for Details {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let of = |member: &str| {
            let name = value.get(member);
            name.map(|name| text(name, "CommonName"))
                .unwrap_or_default()
        };
        Ok(Self {
            certificate: Certificate {
                subject: of("subject"),
                issuer: of("issuer"),
                ..Certificate::read(value)?
            },
            fingerprint: text(value, "fingerprint"),
            subject: name(value.get("subject")),
            issuer: name(value.get("issuer")),
        })
    }
}

/// The id of a certificate that was just stored.
struct Added(String);

impl Read for Added {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self(value.str("id").ok_or("id")?.to_owned()))
    }
}

/// Classifies the refusal of a certificate: a 403 here means that it is stored already, or that the text is invalid.
fn classified(error: ApiError) -> ApiError {
    match error {
        ApiError::Refused(refused) if refused.message.ends_with("already exists") => {
            ApiError::Taken(refused)
        }
        ApiError::Refused(mut refused) if refused.status == 403 => {
            refused.status = 400;
            ApiError::Refused(refused)
        }
        error => error,
    }
}

impl Api {
    /// Returns all certificates.
    ///
    /// # Errors
    /// [`ApiError::Forbidden`] if the secret is refused; the same goes for the calls below.
    pub async fn certificates(self) -> Result<Vec<Certificate>, ApiError> {
        let answer = self
            .send(Call::get(format!("{PATH}?mode=detailed")))
            .await?;
        answer.read::<Certificates>().map(|found| found.0)
    }

    /// Returns one certificate.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn certificate(self, id: &str) -> Result<Details, ApiError> {
        let path = format!("{PATH}/{}", encode(id));
        self.send(Call::get(path)).await?.read()
    }

    /// Stores the contents of a PEM text, for an organisation unless `org` is empty, and returns the id.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence that says why, [`ApiError::Taken`] if it is stored already.
    pub async fn add_certificate(self, pem: &str, org: &str) -> Result<String, ApiError> {
        let path = match org {
            "" => PATH.to_owned(),
            org => format!("{PATH}?org_id={}", encode(org)),
        };
        let mut call = Call::post(path).header("Content-Type", "application/x-pem-file");
        call.body = Some(pem.to_owned());
        let added = self.send(call).await;
        let answer = added.map_err(classified)?;
        answer.read::<Added>().map(|added| added.0)
    }

    /// Removes a certificate, at once.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn remove_certificate(self, id: &str) -> Result<(), ApiError> {
        let path = format!("{PATH}/{}", encode(id));
        self.send(Call::new(Method::DELETE, path)).await.map(drop)
    }

    /// Returns the APIs whose stored definitions reference a certificate. It reads all definitions.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn users_of(self, id: &str) -> Result<Vec<User>, ApiError> {
        let definitions = self.stored("/gateway/apis").await?;
        Ok(users(&definitions.text, id))
    }

    /// Returns the first keys that are bound to a certificate, and how many there are.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn keys_bound_to(self, id: &str) -> Result<Page<KeyRow>, ApiError> {
        let query = format!("certificate={}&per_page=20&sort=alias", encode(id));
        self.listed(&query).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_certificate_is_read_as_lists_and_details_have_it() {
        let basics = r#"{"certs":[{"id":"acmeff","issuer_cn":"CA","subject_cn":"a.example","dns_names":null,"has_private":true,"not_before":"2026-01-01T00:00:00Z","not_after":"2027-01-01T00:00:00Z","is_ca":false}]}"#;
        let list = Certificates::read(&parse(basics).unwrap()).unwrap().0;
        assert_eq!(
            (&*list[0].subject, &*list[0].issuer, list[0].has_private),
            ("a.example", "CA", true)
        );
        let details = r#"{"id":"acmeff","fingerprint":"ff","has_private":false,"issuer":{"CommonName":"CA","Country":["DE"],"SerialNumber":""},"subject":{"CommonName":"a.example","Organization":["A","B"],"Country":null},"not_before":"","not_after":"","dns_names":["a.example"],"is_ca":true}"#;
        let read = Details::read(&parse(details).unwrap()).unwrap();
        assert_eq!(
            read.subject,
            [
                ("Common name", "a.example".to_owned()),
                ("Organisation", "A, B".to_owned())
            ]
        );
        assert_eq!(read.issuer[1], ("Country", "DE".to_owned()));
        assert_eq!(read.certificate.subject, "a.example");
        assert!(read.certificate.is_ca && !read.certificate.has_private);
        assert!(Certificates::read(&parse("{}").unwrap()).is_err());
    }

    #[test]
    fn existing_certificate_is_distinguished_from_invalid() {
        let refused = |message: &str| {
            ApiError::Refused(super::super::Refused {
                status: 403,
                message: message.to_owned(),
                ..Default::default()
            })
        };
        let taken = classified(refused("Certificate with ff id already exists"));
        assert_eq!(taken.title(), "Already taken");
        let none = classified(refused("Failed to decode certificate."));
        assert_eq!(none.title(), "Refused");
    }
}
