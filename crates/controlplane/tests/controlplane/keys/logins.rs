//! Hashes supplied by clients, passwords of users, and secrets for signatures.

use super::*;
use gatewright_protocol::token::HashFunction;

#[test]
fn foreign_hash_is_stored_unchanged() {
    let memory = Memory::default();
    for (hash, hashed) in [
        ("0011aabb".to_owned(), "1"),
        ("0123456789abcdef".to_owned(), "true"),
        ("0a".repeat(16), "x"),
        ("0b".repeat(32), "1"),
    ] {
        let path = format!("keys/{hash}?hashed={hashed}");
        let made = done(&memory, "POST", &path, &session(&json!({})));
        let named = (&made["key"], &made["key_hash"]);
        assert_eq!(named, (&json!(hash), &json!(hash)));
        let shown = read(&memory, &format!("keys/{hash}?hashed=1"));
        assert_eq!(shown["access_rights"]["a"]["api_id"], "a");
    }
    for none in ["0011aab", "0011AABB", "0011aabx"] {
        let path = format!("keys/{none}?hashed=1");
        let answer = call(&memory, "POST", &path, &session(&json!({})));
        assert_eq!(answer.status, 400, "{}", answer.body);
    }
    // An empty value does not count.
    let made = done(&memory, "POST", "keys/0011?hashed=", &session(&json!({})));
    assert_ne!(made["key"], "0011");
}

const HASH: &str = "$2a$10$abcdefghijklmnopqrstuuQ6x1tVZBrB0NlZwhM7l1mYpXCyyWnFO";

#[test]
fn password_is_stored_hashed_and_never_shown() {
    let memory = Memory::default();
    let plain = session(&json!({ "basic_auth_data": { "password": "canary" } }));
    for path in ["keys", "keys/create", "keys/custom"] {
        let answer = call(&memory, "POST", path, &plain);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(!answer.body.contains("canary"));
        let hash = value(&answer)["key_hash"].as_str().unwrap().to_owned();
        let stored = stored(&memory, &hash);
        let password = stored["basic_auth_data"]["password"].as_str().unwrap();
        assert!(
            password.starts_with("$2a$10$") && password.len() == 60,
            "{password}"
        );
        assert_eq!(stored["basic_auth_data"]["hash_type"], "bcrypt");
        let shown = call(&memory, "GET", &format!("keys/{hash}"), &Value::Null);
        assert!(!shown.body.contains("$2a$") && !shown.body.contains("canary"));
    }
    let answer = call(&memory, "POST", "keys/preview", &plain);
    assert!(!answer.body.contains("canary"), "{}", answer.body);
}

/// Returns the session as the Registry has it.
fn stored(memory: &Memory, hash: &str) -> Value {
    let ask = gatewright_protocol::sessions::SessionAsk::find(
        gatewright_protocol::sessions::Owner::Key,
        vec![hash.to_owned()],
    );
    let command = gatewright_protocol::registry::Command::Session(ask);
    let found = gatewright_controlplane::ports::Platform::call(memory, &command, "");
    let found = futures_util::FutureExt::now_or_never(found);
    let (_, text) = found.unwrap().unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn basic_auth_user_gets_no_token() {
    let memory = Memory::default();
    let user = session(&json!({ "org_id": "acme", "basic_auth_data": { "password": "first" } }));
    let made = done(&memory, "POST", "keys/acmeanna", &user);
    assert_eq!(made["key"], "");
    let hash = made["key_hash"].as_str().unwrap();
    let path = "keys/anna?org_id=acme";
    let first = stored(&memory, hash)["basic_auth_data"].clone();
    // A client that leaves the password out, or sends back what it was shown, or the hash itself, keeps it.
    for more in [
        json!({}),
        json!({ "basic_auth_data": null }),
        json!({ "basic_auth_data": { "hash_type": "bcrypt" } }),
        json!({ "basic_auth_data": { "password": "", "hash_type": "bcrypt" } }),
        json!({ "basic_auth_data": { "password": first["password"] } }),
    ] {
        let mut body = session(&more);
        body["org_id"] = json!("acme");
        done(&memory, "PUT", path, &body);
        assert_eq!(stored(&memory, hash)["basic_auth_data"], first, "{more}");
        assert_eq!(
            read(&memory, path)["basic_auth_data"],
            json!({ "hash_type": "bcrypt" })
        );
    }
    let again = session(&json!({ "org_id": "acme", "basic_auth_data": { "password": "first" } }));
    done(&memory, "PUT", path, &again);
    let second = stored(&memory, hash)["basic_auth_data"].clone();
    assert_ne!(second, first, "the salt is another one");
}

#[test]
fn configured_hash_applies_to_new_passwords_only() {
    let mut memory = Memory::default();
    let user = |password: &str| session(&json!({ "basic_auth_data": { "password": password } }));
    let made = done(&memory, "POST", "keys/anna", &user("first"));
    let hash = made["key_hash"].as_str().unwrap();
    let by_bcrypt = stored(&memory, hash)["basic_auth_data"].clone();
    memory.passwords = Some(HashFunction::Sha256);
    // Sending back the hash means the same password.
    let same = user(by_bcrypt["password"].as_str().unwrap());
    done(&memory, "PUT", "keys/anna", &same);
    assert_eq!(stored(&memory, hash)["basic_auth_data"], by_bcrypt);
    done(&memory, "PUT", "keys/anna", &user("first"));
    let digest = HashFunction::Sha256.hash("first");
    let data = json!({ "password": digest, "hash_type": "sha256" });
    assert_eq!(stored(&memory, hash)["basic_auth_data"], data);
    assert_eq!(
        read(&memory, &format!("keys/{hash}"))["basic_auth_data"],
        json!({ "hash_type": "sha256" })
    );
    // A supplied hash is stored unchanged, and any other text is a password.
    for (kind, password) in [("bcrypt", HASH), ("murmur32", "0123abcd")] {
        let data = json!({ "password": password, "hash_type": kind });
        let body = session(&json!({ "basic_auth_data": data }));
        done(&memory, "PUT", "keys/anna", &body);
        assert_eq!(stored(&memory, hash)["basic_auth_data"], data);
    }
    let long = user(&"x".repeat(73));
    done(&memory, "PUT", "keys/anna", &long);
    let digest = HashFunction::Sha256.hash(&"x".repeat(73));
    assert_eq!(stored(&memory, hash)["basic_auth_data"]["password"], digest);
}

#[test]
fn supplied_hashes_are_kept() {
    let memory = Memory::default();
    for (at, (kind, password)) in [
        ("bcrypt", HASH.to_owned()),
        ("sha256", "0a".repeat(32)),
        ("murmur32", "0123abcd".to_owned()),
        ("murmur64", "0123abcd".repeat(2)),
        ("murmur128", "0123abcd".repeat(4)),
    ]
    .into_iter()
    .enumerate()
    {
        let data = json!({ "password": password, "hash_type": kind });
        let body = session(&json!({ "basic_auth_data": data }));
        let made = done(&memory, "POST", &format!("keys/user{at}"), &body);
        let hash = made["key_hash"].as_str().unwrap();
        assert_eq!(stored(&memory, hash)["basic_auth_data"], data);
        assert_eq!(
            read(&memory, &format!("keys/{hash}"))["basic_auth_data"],
            json!({ "hash_type": kind })
        );
    }
    for (password, part) in [
        (HASH.replace("$10$", "$14$"), "cost of 4 to 12"),
        ("$2a$10$short".to_owned(), "no bcrypt hash"),
        ("x".repeat(73), "at most 72 bytes"),
    ] {
        let data = json!({ "password": password, "hash_type": "bcrypt" });
        let answer = call(
            &memory,
            "POST",
            "keys/no",
            &session(&json!({ "basic_auth_data": data })),
        );
        assert_eq!(answer.status, 400);
        let message = value(&answer)["message"].as_str().unwrap().to_owned();
        assert!(
            message.starts_with("/basic_auth_data/password") && message.contains(part),
            "{message}"
        );
        assert!(!message.contains(&password));
    }
}

#[test]
fn signing_secret_is_generated_as_in_the_reference() {
    let memory = Memory::default();
    let body = session(&json!({ "hmac_enabled": true, "hmac_string": "chosen" }));
    let (_, hash) = key(&memory, &body);
    assert_eq!(
        read(&memory, &format!("keys/{hash}"))["hmac_string"],
        "chosen"
    );
    let made = done(&memory, "POST", "keys/create", &body);
    let path = format!("keys/{}", made["key_hash"].as_str().unwrap());
    let secret = read(&memory, &path)["hmac_string"].clone();
    let secret = secret.as_str().unwrap();
    assert!(secret.len() >= 40 && secret != "chosen", "{secret}");
    let bare = done(
        &memory,
        "POST",
        "keys/nosecret",
        &session(&json!({ "hmac_enabled": true })),
    );
    let path = format!("keys/{}", bare["key_hash"].as_str().unwrap());
    assert!(read(&memory, &path).get("hmac_string").is_none());
}

#[test]
fn no_signing_secret_is_generated_for_a_policy_that_wants_signatures() {
    let memory = Memory::default();
    let policy = json!({ "id": "signing", "org_id": "default", "hmac_enabled": true,
        "access_rights": { "a": { "api_id": "a", "versions": ["Default"] } } });
    done(&memory, "POST", "policies", &policy);
    let secret = |more: Value| {
        let mut body = json!({ "org_id": "default", "apply_policies": ["signing"] });
        let members = body.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let made = done(&memory, "POST", "keys/create", &body);
        let stored = read(
            &memory,
            &format!("keys/{}", made["key_hash"].as_str().unwrap()),
        );
        assert_eq!(stored["hmac_enabled"], true);
        stored.get("hmac_string").cloned()
    };
    assert_eq!(secret(json!({})), None);
    assert_eq!(secret(json!({ "hmac_string": "own" })), Some(json!("own")));
    let made = secret(json!({ "hmac_enabled": true })).unwrap();
    assert!(made.as_str().unwrap().len() >= 40);
}
