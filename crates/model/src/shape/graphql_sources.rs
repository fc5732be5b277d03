//! GraphQL: data sources from which the gateway composes responses.

use super::Support::Stored;
use super::graphql::SUBSCRIPTIONS;
use super::{
    ANY, BOOL, Format, HEADER_MAP, Kind, METHOD, Switch, TEXT, TEXTS, Tagged, Type, members, one_of,
};

/// `GraphQLEngineConfig`
pub static ENGINE: Type = Type {
    name: "GraphQLEngineConfig",
    doc: super::doc("Data sources of version 2"),
    switch: Switch::None,
    members: members! {
        "data_sources": Kind::Array(&Kind::Object(&DATA_SOURCE)), Stored => "Sources of field values, with unique names";
        "field_configs": Kind::Array(&Kind::Object(&FIELD_CONFIG)), Stored => "Where values are in the responses";
        "global_headers": Kind::Array(&Kind::Object(&GLOBAL_HEADER)), Stored => "Headers sent to every data source";
    },
};

/// `GraphQLEngineDataSource`
pub static DATA_SOURCE: Type = Type {
    name: "GraphQLEngineDataSource",
    doc: super::doc("A source of the values of some fields"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored => "Its name, unique among the data sources";
        "kind": one_of!("REST", "GraphQL", "Kafka"), Stored => "Its kind";
        "internal": BOOL, Stored => "Whether it is another API of this gateway";
        "root_fields": Kind::Array(&Kind::Object(&TYPE_FIELDS)), Stored => "The fields it provides";
        "config": Kind::Tagged(&CONFIGS), Stored => "The settings of its kind";
    },
};

const CONFIGS: Tagged = Tagged {
    by: "kind",
    types: &[
        ("REST", &REST_CONFIG),
        ("GraphQL", &GRAPHQL_CONFIG),
        ("Kafka", &KAFKA_CONFIG),
    ],
};

/// `GraphQLEngineDataSource.config` of kind REST
pub static REST_CONFIG: Type = Type {
    name: "GraphQLEngineDataSource.config (REST)",
    doc: super::doc("A call to an HTTP API"),
    switch: Switch::None,
    members: members! {
        "url": TEXT, Stored, expected => "The URL; may contain {{.arguments.<name>}} and {{.object.<name>}}";
        "method": METHOD, Stored => "The method";
        "headers": HEADER_MAP, Stored, secret => "Request headers";
        "query": Kind::Array(&Kind::Object(&QUERY_VARIABLE)), Stored => "Query parameters";
        "body": TEXT, Stored => "The request body";
    },
};

/// `GraphQLEngineDataSource.config.query`
pub static QUERY_VARIABLE: Type = Type {
    name: "GraphQLEngineDataSource.config.query",
    doc: super::doc("A query parameter"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored => "Its name";
        "value": TEXT, Stored => "Its value";
    },
};

/// `GraphQLEngineDataSource.config` of kind GraphQL
pub static GRAPHQL_CONFIG: Type = Type {
    name: "GraphQLEngineDataSource.config (GraphQL)",
    doc: super::doc("A call to a GraphQL API"),
    switch: Switch::None,
    members: members! {
        "url": TEXT, Stored, expected => "The URL";
        "method": METHOD, Stored => "The method";
        "headers": HEADER_MAP, Stored, secret => "Request headers";
        "subscription_type": SUBSCRIPTIONS, Stored => "The subscription protocol";
        "sse_use_post": BOOL, Stored => "Subscribes with POST if the protocol is sse";
        "has_operation": BOOL, Stored => "Sends operation instead of the client's query";
        "operation": TEXT, Stored => "The operation in the GraphQL language";
        "variables": ANY, Stored => "The variables of the operation";
    },
};

/// `GraphQLEngineDataSource.config` of kind Kafka
pub static KAFKA_CONFIG: Type = Type {
    name: "GraphQLEngineDataSource.config (Kafka)",
    doc: super::doc("A subscription to Kafka topics"),
    switch: Switch::None,
    members: members! {
        "broker_addresses": TEXTS, Stored, expected => "The brokers";
        "topics": TEXTS, Stored, expected => "The topics";
        "group_id": TEXT, Stored => "The consumer group";
        "client_id": TEXT, Stored => "The client id of this consumer";
        "kafka_version": TEXT, Stored => "The Kafka protocol version";
        "start_consuming_latest": BOOL, Stored => "Starts with new messages only";
        "balance_strategy": TEXT, Stored => "How partitions are balanced among consumers";
        "isolation_level": TEXT, Stored => "Which transactional messages are visible";
        "sasl": Kind::Object(&KAFKA_SASL), Stored => "Credentials for the brokers";
    },
};

/// `GraphQLEngineDataSource.config.sasl`
pub static KAFKA_SASL: Type = Type {
    name: "GraphQLEngineDataSource.config.sasl",
    doc: super::doc("Credentials for the brokers"),
    switch: Switch::On("enable"),
    members: members! {
        "enable": BOOL, Stored => "Authenticates to the brokers";
        "user": TEXT, Stored => "The user name";
        "password": TEXT, Stored, secret => "The password";
    },
};

/// `GraphQLTypeFields`
pub static TYPE_FIELDS: Type = Type {
    name: "GraphQLTypeFields",
    doc: super::doc("Fields of a type"),
    switch: Switch::None,
    members: members! {
        "type": TEXT, Stored => "The type";
        "fields": TEXTS, Stored => "Its fields";
    },
};

/// `GraphQLFieldConfig`
pub static FIELD_CONFIG: Type = Type {
    name: "GraphQLFieldConfig",
    doc: super::doc("Where the value of a field is in the response"),
    switch: Switch::None,
    members: members! {
        "type_name": TEXT, Stored => "The type the field belongs to";
        "field_name": TEXT, Stored => "The field";
        "disable_default_mapping": BOOL, Stored => "Doesn't default to the member named like the field";
        "path": TEXTS, Stored => "The path to the value in the response";
    },
};

/// `UDGGlobalHeader`
pub static GLOBAL_HEADER: Type = Type {
    name: "UDGGlobalHeader",
    doc: super::doc("A header sent to every data source"),
    switch: Switch::None,
    members: members! {
        "key": Kind::Format(Format::Header), Stored => "Its name";
        "value": TEXT, Stored, secret => "Its value";
    },
};
