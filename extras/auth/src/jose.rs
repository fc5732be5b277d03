//! JSON Web Tokens in their compact form (RFC 7515, RFC 7519), and their signature algorithms (RFC 7518, RFC 8037).

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use gatewright_model::json::{Kind, Value, parse};

/// The longest token that is parsed, in bytes.
const MAX_BYTES: usize = 32 * 1024;

/// The families of signature algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// HMAC with a shared secret.
    Hmac,
    /// RSASSA-PKCS1-v1_5.
    Rsa,
    /// RSASSA-PSS.
    Pss,
    /// ECDSA.
    Ecdsa,
    /// EdDSA, on Edwards curves.
    EdDsa,
}

/// A signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// Its name in tokens and keys.
    pub name: &'static str,
    /// The family it belongs to.
    pub family: Family,
    /// The bits of its hash.
    pub bits: u16,
    /// Its curve; empty for none.
    pub curve: &'static str,
}

const fn algorithm(
    name: &'static str,
    family: Family,
    bits: u16,
    curve: &'static str,
) -> Algorithm {
    Algorithm {
        name,
        family,
        bits,
        curve,
    }
}

/// Every supported signature algorithm.
pub const ALGORITHMS: &[Algorithm] = &[
    algorithm("HS256", Family::Hmac, 256, ""),
    algorithm("HS384", Family::Hmac, 384, ""),
    algorithm("HS512", Family::Hmac, 512, ""),
    algorithm("RS256", Family::Rsa, 256, ""),
    algorithm("RS384", Family::Rsa, 384, ""),
    algorithm("RS512", Family::Rsa, 512, ""),
    algorithm("PS256", Family::Pss, 256, ""),
    algorithm("PS384", Family::Pss, 384, ""),
    algorithm("PS512", Family::Pss, 512, ""),
    algorithm("ES256", Family::Ecdsa, 256, "P-256"),
    algorithm("ES384", Family::Ecdsa, 384, "P-384"),
    algorithm("ES512", Family::Ecdsa, 512, "P-521"),
    algorithm("EdDSA", Family::EdDsa, 512, "Ed25519"),
    algorithm("Ed25519", Family::EdDsa, 512, "Ed25519"),
];

/// Returns the families of a definition's signing method; `None` for an unknown one.
#[must_use]
pub fn families(method: &str) -> Option<&'static [Family]> {
    Some(match method {
        "" | "hmac" => &[Family::Hmac],
        "rsa" => &[Family::Rsa, Family::Pss],
        "rsapss" => &[Family::Pss],
        "ecdsa" => &[Family::Ecdsa],
        _ => return None,
    })
}

/// The families whose signatures identify the signer: all but shared secrets.
pub const ASYMMETRIC: &[Family] = &[Family::Rsa, Family::Pss, Family::Ecdsa, Family::EdDsa];

/// The parts of a token, still encoded.
#[derive(Debug)]
pub struct Parts<'a> {
    /// Header and claims, which are signed.
    pub signed: &'a str,
    /// The signature.
    pub signature: &'a str,
    header: String,
    claims: String,
}

/// A parsed token, of which nothing is verified yet.
#[derive(Debug)]
pub struct Token<'a> {
    /// What is signed, and the signature.
    pub parts: &'a Parts<'a>,
    /// Its header.
    pub header: Value<'a>,
    /// Its claims.
    pub claims: Value<'a>,
}

/// What is wrong with a token's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongAlgorithm {
    /// It doesn't exist or isn't supported.
    Unknown,
    /// It isn't one of those expected.
    Unexpected,
}

fn decoded(part: &str) -> Option<String> {
    // Strict about unused bits: otherwise one token would have several spellings.
    String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

impl<'a> Parts<'a> {
    /// Splits a token into its parts; `None` if it isn't one.
    #[must_use]
    pub fn of(token: &'a str) -> Option<Self> {
        if token.len() > MAX_BYTES {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        if claims.contains('.') || BASE64_URL_SAFE_NO_PAD.decode(signature).is_err() {
            return None;
        }
        Some(Self {
            signed,
            signature,
            header: decoded(header)?,
            claims: decoded(claims)?,
        })
    }

    /// Parses header and claims; `None` if one of them isn't an object or has a duplicate member, or if the header
    /// requires an extension to be understood (RFC 7515 section 4.1.11).
    #[must_use]
    pub fn read(&'a self) -> Option<Token<'a>> {
        let object = |text: &'a str| {
            let value = parse(text).ok()?;
            matches!(value.kind, Kind::Object(_)).then_some(value)
        };
        let (header, claims) = (object(&self.header)?, object(&self.claims)?);
        let is_plain = header.member("crit").is_none() && header.member("b64").is_none();
        is_plain.then_some(Token {
            parts: self,
            header,
            claims,
        })
    }
}

impl Token<'_> {
    /// Returns the token's algorithm, if it belongs to one of these families.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn algorithm(&self, families: &[Family]) -> Result<&'static Algorithm, WrongAlgorithm> {
        let name = self.header.str("alg").ok_or(WrongAlgorithm::Unknown)?;
        if name == "none" {
            return Err(WrongAlgorithm::Unexpected);
        }
        let known = ALGORITHMS.iter().find(|known| known.name == name);
        let known = known.ok_or(WrongAlgorithm::Unknown)?;
        let expected = families.contains(&known.family);
        expected.then_some(known).ok_or(WrongAlgorithm::Unexpected)
    }

    /// Returns the id of its key.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.header.str("kid").filter(|kid| !kid.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str, claims: &str) -> String {
        let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", encode(header), encode(claims), encode("sig"))
    }

    fn read(token: &str) -> Option<String> {
        let parts = Parts::of(token)?;
        let token = parts.read()?;
        Some(token.claims.str("sub").unwrap_or_default().to_owned())
    }

    #[test]
    fn a_token_has_three_parts_of_which_two_are_objects() {
        let good = token(r#"{"alg":"HS256"}"#, r#"{"sub":"a"}"#);
        assert_eq!(read(&good).as_deref(), Some("a"));
        for bad in [
            String::new(),
            "a".to_owned(),
            "a.b".to_owned(),
            "a.b.c".to_owned(),
            format!("{good}.x"),
            format!("{good}="),
            format!(" {good}"),
            good.replacen('.', "=.", 1),
            token("[]", "{}"),
            token("{}", "[\"sub\"]"),
            token("{}", "{"),
            token("{}", r#"{"sub":"a","sub":"b"}"#),
            token(r#"{"crit":["exp"]}"#, "{}"),
            token(r#"{"b64":false}"#, "{}"),
            token("{}", &format!("{{\"sub\":\"{}\"}}", "a".repeat(MAX_BYTES))),
        ] {
            assert_eq!(read(&bad), None, "{bad:.80}");
        }
    }

    #[test]
    fn only_expected_algorithm_families_are_accepted() {
        let check = |alg: &str, method: &str| {
            let text = token(&format!("{{\"alg\":{alg}}}"), "{}");
            let parts = Parts::of(&text).unwrap();
            let families = families(method).unwrap();
            parts
                .read()
                .unwrap()
                .algorithm(families)
                .map(|known| known.name)
        };
        assert_eq!(check("\"HS512\"", ""), Ok("HS512"));
        assert_eq!(check("\"PS384\"", "rsa"), Ok("PS384"));
        assert_eq!(check("\"ES256\"", "ecdsa"), Ok("ES256"));
        for (alg, method) in [
            ("HS256", "rsa"),
            ("RS256", "hmac"),
            ("none", "hmac"),
            ("EdDSA", "ecdsa"),
        ] {
            let quoted = format!("\"{alg}\"");
            assert_eq!(
                check(&quoted, method),
                Err(WrongAlgorithm::Unexpected),
                "{alg}"
            );
        }
        for alg in [
            "\"hs256\"",
            "\"None\"",
            "\"ES256K\"",
            "1",
            "null",
            "[\"HS256\"]",
        ] {
            assert_eq!(check(alg, "hmac"), Err(WrongAlgorithm::Unknown), "{alg}");
        }
        assert_eq!(families("RSA"), None);
        assert_eq!(families("eddsa"), None);
    }
}
