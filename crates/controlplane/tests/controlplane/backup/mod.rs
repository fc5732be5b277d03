//! Exports and imports over ports in memory: what is restored, and what is refused.

mod largest;
mod refused;
mod restored;
mod secrets;

use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use serde_json::{Value, json};

const PASSPHRASE: &str = "sixteen letters and more";

fn sent(
    memory: &Memory,
    method: &str,
    target: &str,
    body: &str,
    more: &[(&str, &str)],
) -> Response {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let mut headers = match target.starts_with("/api/") {
        true => vec![("authorization", bearer.as_str())],
        false => vec![("x-gateway-authorization", SECRET)],
    };
    headers.extend(more);
    let answer = memory.send_with(method, target, body, &headers);
    answer.now_or_never().unwrap()
}

/// Sends a request that has to succeed.
fn done(memory: &Memory, method: &str, target: &str, body: &Value) -> Value {
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let answer = sent(memory, method, target, &text, &[]);
    assert!(answer.status < 300, "{method} {target}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn read(memory: &Memory, target: &str) -> String {
    let answer = sent(memory, "GET", target, "", &[]);
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    let tag = answer.header("etag").unwrap_or_default();
    format!("{tag} {}", answer.body)
}

/// Returns an export with this query and sealed secrets.
fn export(memory: &Memory, query: &str) -> String {
    let header = [("x-gateway-passphrase", PASSPHRASE)];
    let answer = sent(
        memory,
        "GET",
        &format!("/gateway/export?{query}"),
        "",
        &header,
    );
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    answer.body
}

fn import(memory: &Memory, query: &str, file: &str) -> Response {
    let header = [("x-gateway-passphrase", PASSPHRASE)];
    sent(
        memory,
        "POST",
        &format!("/gateway/import?{query}"),
        file,
        &header,
    )
}

/// Runs an import that has to succeed.
fn imported(memory: &Memory, file: &str) -> Value {
    let answer = import(memory, "", file);
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn message(answer: &Response) -> String {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    body["message"].as_str().unwrap().to_owned()
}

fn lines(file: &str) -> Vec<Value> {
    file.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Hashes of the keys of [`gateway`]: one with a quota, one with a policy.
struct Keys {
    counted: String,
    governed: String,
}

/// Creates a gateway with something of every kind.
fn gateway() -> (Memory, Keys) {
    let memory = Memory::default();
    for (id, more) in [("a", ""), ("b", ", \"n\" : 1.0, \"upstream_auth\":{}")] {
        let text = format!(
            "{{ \"api_id\":\"{id}\", \"name\":\"{id} #eu\",\n  \"use_keyless\":false, \"proxy\":{{\"listen_path\":\"/{id}/\",\
             \"target_url\":\"http://up/\"}}{more} }}"
        );
        let answer = sent(&memory, "POST", "/gateway/apis", &text, &[]);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    // Two revisions, a deleted one, and a version.
    done(
        &memory,
        "PUT",
        "/gateway/apis/a",
        &json!({ "api_id": "a", "name": "a #eu, again", "active": true,
        "use_keyless": false, "proxy": { "listen_path": "/a/", "target_url": "http://up/" } }),
    );
    done(
        &memory,
        "POST",
        "/gateway/apis",
        &json!({ "api_id": "gone", "name": "gone", "use_keyless": true,
        "proxy": { "listen_path": "/gone/", "target_url": "http://up/" } }),
    );
    done(&memory, "DELETE", "/gateway/apis/gone", &Value::Null);
    done(
        &memory,
        "POST",
        "/gateway/apis?base_api_id=a&base_api_version_name=v1&new_version_name=v2",
        &json!({ "api_id": "a2", "name": "a two", "use_keyless": false,
            "proxy": { "listen_path": "/a2/", "target_url": "http://up/" } }),
    );
    let rights = json!({ "a": { "api_id": "a", "versions": ["v1"] } });
    done(
        &memory,
        "POST",
        "/gateway/policies",
        &json!({ "id": "gold", "rate": 7, "per": 1, "access_rights": rights }),
    );
    done(
        &memory,
        "POST",
        "/gateway/org/keys/acme",
        &json!({ "quota_max": 9, "quota_renewal_rate": 86400 }),
    );
    done(
        &memory,
        "POST",
        "/api/rulesets",
        &json!({ "name": "r", "ruleset_id": "r", "categories": ["eu"] }),
    );
    done(
        &memory,
        "POST",
        "/api/clientidps",
        &json!({ "name": "i", "client_idp_id": "i",
        "jwks_uri": "https://i.example/", "api_mappings": { "a": { "scope_to_policy": { "s": "gold" } } } }),
    );
    let patch = json!({ "api_mappings": { "a": { "scope_to_policy": { "t": "gold" } } } });
    done(&memory, "PATCH", "/api/clientidps/i/mappings", &patch);
    done(
        &memory,
        "POST",
        "/api/hooks",
        &json!({ "name": "h", "webhook_id": "h", "method": "POST",
        "target_path": "https://h.example/", "header_map": { "Authorization": "canary-header" },
        "subscriptions": ["TokenCreated"] }),
    );
    done(
        &memory,
        "POST",
        "/gateway/dashboard/credentials",
        &json!({ "name": "ci", "permissions": { "apis": "read" } }),
    );
    let key = |session: &Value| {
        let made = done(&memory, "POST", "/gateway/keys", session);
        made["key_hash"].as_str().unwrap().to_owned()
    };
    let counted = key(
        &json!({ "alias": "counted", "org_id": "acme", "quota_max": 5, "quota_renewal_rate": 86400,
        "hmac_string": "canary-hmac", "access_rights": rights, "tags": ["t"],
        "basic_auth_data": { "password": "$2a$10$canaryPasswordxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "hash_type": "bcrypt" } }),
    );
    let governed = key(&json!({ "alias": "governed", "apply_policies": ["gold"] }));
    let certificate = concat!(
        include_str!("../../../../testkit/cases/certificates/rsa.crt"),
        include_str!("../../../../testkit/cases/certificates/rsa.key")
    );
    let added = sent(
        &memory,
        "POST",
        "/gateway/certs?org_id=acme",
        certificate,
        &[],
    );
    assert_eq!(added.status, 200, "{}", added.body);
    (memory, Keys { counted, governed })
}

/// Returns all that the administration returns, tags included.
fn everything(memory: &Memory, keys: &Keys) -> Vec<String> {
    let (counted, governed) = (&keys.counted, &keys.governed);
    [
        "/gateway/apis",
        "/gateway/apis/a",
        "/gateway/apis/b",
        "/gateway/apis/a2",
        "/gateway/apis/a/versions",
        "/gateway/policies",
        "/gateway/policies/gold",
        "/gateway/org/keys",
        "/gateway/org/keys/acme",
        "/gateway/keys?view=summary&sort=alias",
        &format!("/gateway/keys/{counted}"),
        &format!("/gateway/keys/{counted}?applied=false"),
        &format!("/gateway/keys/{governed}"),
        "/gateway/dashboard/credentials",
        "/api/rulesets",
        "/api/clientidps",
        "/api/clientidps/i",
        "/api/hooks",
        "/api/hooks/h",
    ]
    .iter()
    .map(|target| format!("{target}: {}", read(memory, target)))
    .collect()
}

/// Counts requests with a session of this revision against its quota of five a day.
fn count(memory: &Memory, ledger: &str, revision: u64, times: usize) {
    use gatewright_protocol::ledger::{Consume, Count, Limit, Verdict};
    use gatewright_protocol::limits::QuotaLimit;
    let ask = Consume {
        revision: Some(revision),
        counts: vec![Count {
            name: "quota".to_owned(),
            limit: Limit::Quota(QuotaLimit {
                max: 5,
                window_ms: 86_400_000,
            }),
            smoothing: None,
        }],
        ..Consume::default()
    };
    for _ in 0..times {
        let (verdict, _) = memory.consume(ledger, &ask).unwrap();
        assert!(matches!(verdict, Verdict::Admitted(_)), "{verdict:?}");
    }
}

fn sha256(text: &str) -> String {
    gatewright_protocol::token::HashFunction::Sha256.hash(text)
}

/// Returns the revision of a key.
fn revision(memory: &Memory, hash: &str) -> u64 {
    let text = read(memory, &format!("/gateway/keys/{hash}"));
    let number = text.trim_start_matches('"').split('-').next().unwrap();
    number.parse().unwrap()
}

/// Returns [`gateway`] with enough additional keys to be stored in several pages.
fn large() -> (Memory, Keys) {
    let (memory, keys) = gateway();
    for number in 0..600 {
        let rights = json!({ "a": { "api_id": "a", "versions": ["v1"] } });
        let session = json!({ "alias": format!("k{number}"), "access_rights": rights });
        done(&memory, "POST", "/gateway/keys", &session);
    }
    (memory, keys)
}

/// Returns the file without its last line.
fn cut(file: &str) -> &str {
    &file[..file.rfind("{\"end\"").unwrap()]
}
