//! Random sessions and policies.

use gatewright_model::shape::Root;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

type Member = (&'static str, BoxedStrategy<Value>);

/// Generates an object with some of the members.
fn some_of(members: Vec<Member>) -> BoxedStrategy<Value> {
    let each: Vec<_> = members
        .into_iter()
        .map(|(name, value)| (Just(name), prop::option::of(value)))
        .collect();
    let object = |members: Vec<(&str, Option<Value>)>| {
        let present = members.into_iter();
        let present = present.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(present.collect::<Map<_, _>>())
    };
    each.prop_map(object).boxed()
}

fn pick(values: &[Value]) -> BoxedStrategy<Value> {
    prop::sample::select(values.to_vec()).boxed()
}

fn list(of: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::vec(of, 0..4)
        .prop_map(Value::from)
        .boxed()
}

fn texts(of: &[&str]) -> BoxedStrategy<Value> {
    let values: Vec<_> = of.iter().map(|text| json!(text)).collect();
    list(pick(&values))
}

fn numbers() -> BoxedStrategy<Value> {
    pick(&[
        json!(-1),
        json!(0),
        json!(1),
        json!(2.5),
        json!(10),
        json!(600),
    ])
}

fn whole() -> BoxedStrategy<Value> {
    pick(&[json!(-1), json!(0), json!(1), json!(60), json!(600)])
}

fn limit_members() -> Vec<Member> {
    vec![
        ("rate", numbers()),
        ("per", numbers()),
        ("throttle_interval", numbers()),
        ("throttle_retry_limit", whole()),
        ("quota_max", whole()),
        ("quota_renewal_rate", whole()),
        ("max_query_depth", whole()),
    ]
}

fn rate() -> BoxedStrategy<Value> {
    some_of(vec![("rate", numbers()), ("per", numbers())])
}

fn access() -> BoxedStrategy<Value> {
    let method = some_of(vec![
        ("name", pick(&[json!("GET"), json!("PUT")])),
        ("limit", rate()),
    ]);
    let url = some_of(vec![
        ("url", pick(&[json!("/a"), json!("/b")])),
        ("methods", texts(&["GET", "PUT"])),
    ]);
    let rules = some_of(vec![
        ("allowed", texts(&["a", "b"])),
        ("blocked", texts(&["c"])),
    ]);
    let endpoint = some_of(vec![
        ("path", pick(&[json!("/a"), json!("/b")])),
        ("methods", list(method)),
    ]);
    let primitive = some_of(vec![
        ("type", pick(&[json!("tool"), json!("prompt")])),
        ("name", pick(&[json!("n"), json!("m")])),
        ("limit", rate()),
    ]);
    some_of(vec![
        ("versions", texts(&["v1", "v2"])),
        ("allowed_urls", list(url)),
        ("endpoints", list(endpoint)),
        ("limit", some_of(limit_members())),
        (
            "disable_introspection",
            any::<bool>().prop_map(Value::from).boxed(),
        ),
        ("json_rpc_methods_access_rights", rules.clone()),
        ("mcp_access_rights", some_of(vec![("tools", rules)])),
        ("mcp_primitives", list(primitive)),
        ("mine", pick(&[json!({"a": [1]}), Value::Null])),
    ])
}

fn rights() -> BoxedStrategy<Value> {
    let rights = prop::collection::btree_map("[x-z]", access(), 0..3);
    rights
        .prop_map(|rights| Value::Object(rights.into_iter().collect()))
        .boxed()
}

pub(crate) fn session() -> BoxedStrategy<Value> {
    let mut members = limit_members();
    members.extend([
        ("access_rights", rights()),
        ("tags", texts(&["own", "t"])),
        ("meta_data", some_of(vec![("k", whole()), ("own", whole())])),
        ("is_inactive", any::<bool>().prop_map(Value::from).boxed()),
        ("unknown", pick(&[json!({"b": [1.0]})])),
    ]);
    some_of(members)
}

fn policy_with(partitions: BoxedStrategy<Value>) -> BoxedStrategy<String> {
    let mut members = limit_members();
    members.extend([
        ("tags", texts(&["s", "t"])),
        ("meta_data", some_of(vec![("k", whole()), ("n", whole())])),
        ("is_inactive", any::<bool>().prop_map(Value::from).boxed()),
        ("partitions", partitions),
    ]);
    let policy = (some_of(members), rights()).prop_map(|(mut policy, rights)| {
        policy["access_rights"] = rights;
        policy.to_string()
    });
    policy.boxed()
}

/// Generates plain and partitioned policies.
pub(crate) fn without_per_api() -> BoxedStrategy<String> {
    let on = || any::<bool>().prop_map(Value::from).boxed();
    let parts = ["quota", "rate_limit", "complexity", "acl"];
    policy_with(some_of(parts.map(|part| (part, on())).to_vec()))
}

pub(crate) fn per_api() -> BoxedStrategy<String> {
    let policy = policy_with(Just(json!({"per_api": true})).boxed());
    let always = policy.prop_map(|text| {
        let mut policy: Value = serde_json::from_str(&text).unwrap();
        policy["partitions"] = json!({"per_api": true});
        policy.to_string()
    });
    always.boxed()
}

pub(crate) fn some_policies() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        prop::collection::vec(without_per_api(), 1..4),
        prop::collection::vec(per_api(), 1..4),
        prop::collection::vec(prop_oneof![without_per_api(), per_api()], 0..4),
    ]
}

pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = pick(&[
        Value::Null,
        json!(true),
        json!(1.5),
        json!(-1),
        json!(1e300),
        json!("x"),
        json!("retain"),
    ]);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(member_name(), inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

pub(crate) fn member_name() -> impl Strategy<Value = String> {
    let types = [Root::Session, Root::Policy, Root::AccessDefinition];
    let names = types.into_iter().flat_map(|root| root.shape().members);
    let mut names: Vec<String> = names.map(|member| member.name.to_owned()).collect();
    names.retain(|name| name != "access_rights");
    names.extend(["limits", "methods", "fields", "name", "allowed", "mine"].map(str::to_owned));
    prop::sample::select(names)
}
