//! The algorithms that sign requests, and how the platform is asked to verify them.

/// What a signature is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum With {
    /// The secret of the key.
    Secret,
    /// The private key of a certificate with a key of this type.
    Certificate(&'static str),
}

/// A signature algorithm for requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// Its names: the drafts' first, if they have it, then that of RFC 9421.
    pub(super) names: &'static [&'static str],
    /// Whether the drafts have it.
    pub(super) is_draft: bool,
    pub(super) with: With,
    /// How its key is imported (WebCrypto).
    pub(super) import: &'static str,
    /// How a signature is verified (WebCrypto).
    pub(super) by: &'static str,
}

macro_rules! hmac {
    ($name:literal $hash:literal) => {
        Algorithm {
            names: &[$name],
            is_draft: true,
            with: With::Secret,
            import: concat!("\"name\":\"HMAC\",\"hash\":\"", $hash, "\""),
            by: "\"name\":\"HMAC\"",
        }
    };
}

macro_rules! ecdsa {
    ($name:literal $curve:literal $hash:literal) => {
        Algorithm {
            names: &[$name],
            is_draft: false,
            with: With::Certificate("ec"),
            import: concat!("\"name\":\"ECDSA\",\"namedCurve\":\"", $curve, "\""),
            by: concat!("\"name\":\"ECDSA\",\"hash\":\"", $hash, "\""),
        }
    };
}

const SHA1: Algorithm = hmac!("hmac-sha1" "SHA-1");
const SHA256: Algorithm = hmac!("hmac-sha256" "SHA-256");
const RSA: Algorithm = Algorithm {
    names: &["rsa-sha256", "rsa-v1_5-sha256"],
    is_draft: true,
    with: With::Certificate("rsa"),
    import: "\"name\":\"RSASSA-PKCS1-v1_5\",\"hash\":\"SHA-256\"",
    by: "\"name\":\"RSASSA-PKCS1-v1_5\"",
};

const ALL: &[Algorithm] = &[
    SHA1,
    SHA256,
    hmac!("hmac-sha384" "SHA-384"),
    hmac!("hmac-sha512" "SHA-512"),
    RSA,
    Algorithm {
        names: &["rsa-pss-sha512"],
        is_draft: false,
        with: With::Certificate("rsa"),
        import: "\"name\":\"RSA-PSS\",\"hash\":\"SHA-512\"",
        by: "\"name\":\"RSA-PSS\",\"saltLength\":64",
    },
    ecdsa!("ecdsa-p256-sha256" "P-256" "SHA-256"),
    ecdsa!("ecdsa-p384-sha384" "P-384" "SHA-384"),
    Algorithm {
        names: &["ed25519"],
        is_draft: false,
        // RFC 8410 section 3.
        with: With::Certificate("1.3.101.112"),
        import: "\"name\":\"Ed25519\"",
        by: "\"name\":\"Ed25519\"",
    },
];

/// The drafts' algorithm for a signature that names none.
pub(super) const UNNAMED: &Algorithm = &SHA1;
/// The algorithm of a message signature that names none, for a key with a secret.
pub(super) const OF_SECRET: &Algorithm = &SHA256;
/// The same for a key with a certificate.
pub(super) const OF_CERTIFICATE: &Algorithm = &RSA;

/// Finds an algorithm by its name in the drafts.
pub(super) fn draft(name: &str) -> Option<&'static Algorithm> {
    let known = |algorithm: &&Algorithm| {
        algorithm.is_draft && algorithm.names.first().is_some_and(|known| *known == name)
    };
    ALL.iter().find(known)
}

/// Finds an algorithm by its name in RFC 9421 and its registry.
pub(super) fn message(name: &str) -> Option<&'static Algorithm> {
    let known = |algorithm: &&Algorithm| {
        algorithm.names.last().is_some_and(|known| *known == name) && name != "hmac-sha1"
    };
    ALL.iter().find(known)
}
