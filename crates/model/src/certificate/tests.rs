use super::read::NOT_DECODED;
use super::*;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use x509_cert::Certificate;
use x509_cert::der::Decode;

macro_rules! case {
    ($name:literal) => {
        include_str!(concat!("../../../testkit/cases/certificates/", $name))
    };
}

const NOW: &str = "2026-12-01T00:00:00.000Z";
const RSA: &str = case!("rsa.crt");
const RSA_KEY: &str = case!("rsa.key");
const RSA_ID: &str = "e12e6041025980738 1a64690862ca38c068fd9a9361cbd3fcb6a410f25e0eb61";

fn stored(body: &str) -> (Details, Material) {
    read("acme", body.as_bytes(), NOW).unwrap()
}

fn refused(body: &str) -> Refused {
    read("acme", body.as_bytes(), NOW).unwrap_err()
}

/// For a refusal that needs no explanation.
fn message(body: &str) -> String {
    let Refused { message, details } = refused(body);
    assert_eq!(details, "");
    message
}

fn bytes(base64: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(base64).unwrap()
}

#[test]
fn certificate_details_match_the_reference() {
    let (details, material) = stored(RSA);
    let fingerprint = RSA_ID.replace(' ', "");
    let value = serde_json::to_value(&details).unwrap();
    let names = serde_json::json!([
        {"Type":[2,5,4,6],"Value":"DE"},
        {"Type":[2,5,4,8],"Value":"Bayern"},
        {"Type":[2,5,4,7],"Value":"Augsburg"},
        {"Type":[2,5,4,9],"Value":"Hof 1"},
        {"Type":[2,5,4,17],"Value":"86150"},
        {"Type":[2,5,4,10],"Value":"Gatewright"},
        {"Type":[2,5,4,10],"Value":"Two"},
        {"Type":[2,5,4,11],"Value":"Tests"},
        {"Type":[2,5,4,5],"Value":"7"},
        {"Type":[2,5,4,3],"Value":"rsa.example"},
        {"Type":[1,2,840,113_549,1,9,1],"Value":"a@rsa.example"},
    ]);
    let name = serde_json::json!({
        "Country":["DE"],"Organization":["Gatewright","Two"],"OrganizationalUnit":["Tests"],
        "Locality":["Augsburg"],"Province":["Bayern"],"StreetAddress":["Hof 1"],"PostalCode":["86150"],
        "SerialNumber":"7","CommonName":"rsa.example","Names":names,"ExtraNames":null,
    });
    assert_eq!(
        value,
        serde_json::json!({
            "id":format!("acme{fingerprint}"),"fingerprint":fingerprint,"has_private":false,
            "issuer":name,"subject":name,"not_before":"2026-11-23T03:52:49Z","not_after":"2126-10-30T03:52:49Z",
            "dns_names":["rsa.example","www.rsa.example"],"is_ca":false,
        })
    );
    assert_eq!(
        (material.private.as_str(), material.algorithm.as_str()),
        ("", "rsa")
    );
    let text = serde_json::to_string(&details).unwrap();
    let order = [
        "\"id\"",
        "\"fingerprint\"",
        "\"Country\"",
        "\"Organization\"",
        "\"not_before\"",
        "\"is_ca\"",
    ];
    let places: Vec<_> = order.iter().map(|name| text.find(name).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert_eq!(serde_json::from_str::<Details>(&text).unwrap(), details);
}

#[test]
fn private_key_may_have_any_encoding_and_position() {
    let pkcs8 = stored(&format!("{RSA}{RSA_KEY}")).1.private;
    assert!(stored(&format!("{RSA}{RSA_KEY}")).0.has_private);
    for body in [
        format!("{RSA_KEY}\n{RSA}"),
        format!("{RSA}{}", case!("rsa.pkcs1")),
        format!(
            "Bag Attributes\n{}",
            format!("{RSA}{RSA_KEY}").replace('\n', "\r\n")
        ),
    ] {
        let (details, material) = stored(&body);
        assert!(details.has_private);
        assert_eq!(material.private, pkcs8);
    }
    let of_curve = |key: &str| stored(&format!("{}{key}", case!("ec.crt")));
    let (details, material) = of_curve(case!("ec.sec1"));
    assert_eq!(
        (
            details.subject.common_name.as_str(),
            details.is_ca,
            material.algorithm.as_str()
        ),
        ("Grüße", true, "ec")
    );
    for private in [material.private, of_curve(case!("ec.key")).1.private] {
        let bytes = bytes(&private);
        let belongs = key::belongs(
            &bytes,
            Certificate::from_der(&bytes_of(case!("ec.crt")))
                .unwrap()
                .tbs_certificate()
                .subject_public_key_info(),
        );
        assert_eq!(belongs, Ok(()));
    }
    let (_, edwards) = stored(&format!("{}{}", case!("ed.crt"), case!("ed.key")));
    assert_eq!(edwards.algorithm, "1.3.101.112");
}

fn bytes_of(pem: &str) -> Vec<u8> {
    pem::blocks(pem).unwrap().remove(0).der
}

#[test]
fn der_is_read_like_pem() {
    let der = bytes_of(RSA);
    assert_eq!(read("acme", &der, NOW).unwrap(), stored(RSA));
    let public = bytes_of(case!("rsa.pub"));
    let (details, material) = read("", &public, NOW).unwrap();
    assert_eq!(material, stored(case!("rsa.pub")).1);
    assert_eq!(material.public, stored(RSA).1.public);
    assert_eq!(
        details.subject.common_name,
        format!("Public Key: {}", details.id)
    );
    assert_eq!(details.not_after, "0001-01-01T00:00:00Z");
    assert!(read("", &der[..der.len() - 1], NOW).is_err());
}

#[test]
fn invalid_certificate_is_refused_with_the_reference_message() {
    for body in [
        "",
        "x",
        RSA_KEY,
        "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----",
    ] {
        assert_eq!(message(body), NOT_DECODED, "{body}");
    }
    assert_eq!(
        message(&format!("{RSA}{}", case!("rsa.pub"))),
        "Public keys can't be combined with certificates"
    );
    let garbage = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----";
    let malformed = refused(garbage);
    assert_eq!(malformed.message, "x509: malformed certificate");
    assert!(!malformed.details.is_empty());
    // The extra hands it to the administration as JSON.
    let reading: Reading = Err(malformed);
    let text = serde_json::to_string(&reading).unwrap();
    assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
    let late = read("", RSA.as_bytes(), "2126-10-30T03:52:50.000Z");
    assert_eq!(late.unwrap_err(), "certificate is expired".into());
    assert!(read("", RSA.as_bytes(), "2126-10-30T03:52:49.999Z").is_ok());
}

#[test]
fn mismatched_or_encrypted_key_is_refused() {
    let other_type = "tls: private key type does not match public key type";
    for key in [case!("ec.key"), case!("ed.key")] {
        assert_eq!(message(&format!("{RSA}{key}")), other_type);
    }
    let other = message(&format!("{}{RSA_KEY}", case!("ec.crt")));
    assert_eq!(other, other_type);
    // Its third line contains nothing but part of the modulus.
    let line = RSA_KEY.lines().nth(3).unwrap();
    let turned: String = line.chars().rev().collect();
    assert_eq!(
        message(&format!("{RSA}{}", RSA_KEY.replace(line, &turned))),
        "tls: private key does not match public key"
    );
    let several = format!("{RSA}{RSA_KEY}{}", case!("ec.key"));
    assert_eq!(message(&several), "Found multiple private keys");
    let encrypted = refused(&format!("{RSA}{}", case!("encrypted.key")));
    assert_eq!(encrypted.message, "tls: failed to parse private key");
    assert!(encrypted.details.contains("passphrase"));
    let unknown = RSA_KEY.replace("PRIVATE KEY", "ODD PRIVATE KEY");
    assert_eq!(
        refused(&format!("{RSA}{unknown}")).details,
        "ODD PRIVATE KEY is of no known kind"
    );
    let cut = RSA_KEY
        .lines()
        .take(3)
        .chain(RSA_KEY.lines().last())
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(
        message(&format!("{RSA}{cut}")),
        "tls: failed to parse private key"
    );
}

#[test]
fn only_the_material_contains_the_private_key() {
    let (details, material) = stored(&format!("{RSA}{RSA_KEY}"));
    let part = &material.private[200..260];
    assert!(!serde_json::to_string(&details).unwrap().contains(part));
    assert!(!format!("{material:?} {details:?}").contains(part));
}
