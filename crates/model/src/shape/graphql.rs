//! GraphQL: an API whose queries the gateway checks, proxies or composes.

use super::Support::Stored;
use super::graphql_sources::ENGINE;
use super::{ANY, BOOL, Format, HEADER_MAP, Kind, Names, Switch, TEXT, Type, members, one_of};

pub(super) const SUBSCRIPTIONS: Kind = one_of!("", "graphql-ws", "graphql-transport-ws", "sse");
const TIME: Kind = Kind::Format(Format::Timestamp);

/// `GraphQLConfig`
pub static GRAPHQL: Type = Type {
    name: "GraphQLConfig",
    doc: super::doc("GraphQL: checked, proxied or composed by the gateway"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored => "Treats the API as GraphQL";
        "execution_mode": one_of!("proxyOnly", "executionEngine", "subgraph", "supergraph", ""), Stored => "Who answers the queries";
        "version": one_of!("1", "2", "3-preview", ""), Stored => "The version of the configuration";
        "schema": TEXT, Stored => "The schema in GraphQL's own language";
        "last_schema_update": TIME, Stored => "When the schema was changed last, RFC 3339";
        "type_field_configurations": Kind::Array(&Kind::Object(&TYPE_FIELD)), Stored => "Data sources of version 1";
        "engine": Kind::Object(&ENGINE), Stored => "Data sources of version 2";
        "proxy": Kind::Object(&PROXY), Stored => "Headers and subscriptions of the upstream";
        "introspection": Kind::Object(&INTROSPECTION), Stored, needs("enabled") => "Whether the schema may be asked for";
        "playground": Kind::Object(&PLAYGROUND), Stored => "A page for trying queries";
        "subgraph": Kind::Object(&SUBGRAPH), Stored => "The schema of this subgraph";
        "supergraph": Kind::Object(&SUPERGRAPH), Stored => "The subgraphs of this supergraph";
    },
};

/// `DatasourceTypeFieldConfiguration`
pub static TYPE_FIELD: Type = Type {
    name: "DatasourceTypeFieldConfiguration",
    doc: super::doc("Where the value of a field comes from, in version 1"),
    switch: Switch::None,
    members: members! {
        "type_name": TEXT, Stored => "The type the field belongs to";
        "field_name": TEXT, Stored => "The field";
        "data_source": Kind::Object(&TYPE_FIELD_SOURCE), Stored => "What is asked for its value";
        "mapping": Kind::Object(&TYPE_FIELD_MAPPING), Stored => "Where the value stands in the answer";
    },
};

/// `DatasourceTypeFieldConfiguration.data_source`
pub static TYPE_FIELD_SOURCE: Type = Type {
    name: "DatasourceTypeFieldConfiguration.data_source",
    doc: super::doc("What is asked for the value of a field"),
    switch: Switch::None,
    members: members! {
        "kind": TEXT, Stored => "The kind of data source";
        "data_source_config": ANY, Stored => "The settings of that kind";
    },
};

/// `DatasourceTypeFieldConfiguration.mapping`
pub static TYPE_FIELD_MAPPING: Type = Type {
    name: "DatasourceTypeFieldConfiguration.mapping",
    doc: super::doc("Where the value of a field stands in the answer"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored => "Takes the whole answer";
        "path": TEXT, Stored => "The member of the answer";
    },
};

/// `GraphQLProxyConfig`
pub static PROXY: Type = Type {
    name: "GraphQLProxyConfig",
    doc: super::doc("Headers and subscriptions of the upstream"),
    switch: Switch::None,
    members: members! {
        "auth_headers": HEADER_MAP, Stored, secret => "Headers for fetching the schema";
        "request_headers": HEADER_MAP, Stored, secret => "Headers that every request gets";
        "request_headers_rewrite": Kind::Map(&Names::Format(Format::Header), &Kind::Object(&HEADER_REWRITE)), Stored => "Request headers that are changed or removed";
        "features": Kind::Object(&PROXY_FEATURES), Stored => "Which of the client's headers count";
        "subscription_type": SUBSCRIPTIONS, Stored => "The protocol of subscriptions";
        "sse_use_post": BOOL, Stored => "Subscribes with POST when the protocol is sse";
        "use_response_extensions": Kind::Object(&RESPONSE_EXTENSIONS), Stored => "What of the upstream's extensions is passed on";
    },
};

/// `GraphQLProxyConfig.request_headers_rewrite`
pub static HEADER_REWRITE: Type = Type {
    name: "GraphQLProxyConfig.request_headers_rewrite",
    doc: super::doc("What happens to a request header"),
    switch: Switch::None,
    members: members! {
        "value": TEXT, Stored, secret => "Its new value";
        "remove": BOOL, Stored => "Removes it when its value is empty";
    },
};

/// `GraphQLProxyConfig.features`
pub static PROXY_FEATURES: Type = Type {
    name: "GraphQLProxyConfig.features",
    doc: super::doc("Which of the client's headers count"),
    switch: Switch::None,
    members: members! {
        "use_immutable_headers": BOOL, Stored => "Keeps request_headers from overwriting headers of the client";
    },
};

/// `GraphQLProxyConfig.use_response_extensions`
pub static RESPONSE_EXTENSIONS: Type = Type {
    name: "GraphQLProxyConfig.use_response_extensions",
    doc: super::doc("What of the upstream's extensions is passed on"),
    switch: Switch::None,
    members: members! {
        "on_error_forwarding": BOOL, Stored => "Passes the extensions of errors on";
    },
};

/// `GraphQLConfig.introspection`
pub static INTROSPECTION: Type = Type {
    name: "GraphQLConfig.introspection",
    doc: super::doc("Whether the schema may be asked for"),
    switch: Switch::None,
    members: members! {
        "disabled": BOOL, Stored, protects("the closing of introspection") => "Refuses questions about the schema";
    },
};

/// `GraphQLConfig.playground`
pub static PLAYGROUND: Type = Type {
    name: "GraphQLConfig.playground",
    doc: super::doc("A page for trying queries"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored => "Serves the page";
        "path": TEXT, Stored => "Its path below the listen path";
    },
};

/// `GraphQLConfig.subgraph`
pub static SUBGRAPH: Type = Type {
    name: "GraphQLConfig.subgraph",
    doc: super::doc("The schema of a subgraph"),
    switch: Switch::None,
    members: members! {
        "sdl": TEXT, Stored => "The schema in GraphQL's own language, with the directives of federation";
    },
};

/// `GraphQLSupergraphConfig`
pub static SUPERGRAPH: Type = Type {
    name: "GraphQLSupergraphConfig",
    doc: super::doc("The subgraphs of a supergraph"),
    switch: Switch::None,
    members: members! {
        "subgraphs": Kind::Array(&Kind::Object(&SUBGRAPH_ENTITY)), Stored => "The subgraphs";
        "merged_sdl": TEXT, Stored => "The schema of all of them together";
        "global_headers": HEADER_MAP, Stored, secret => "Headers that every subgraph gets";
        "disable_query_batching": BOOL, Stored => "Asks subgraphs one query at a time";
        "updated_at": TIME, Stored => "When the schema was made, RFC 3339";
    },
};

/// `GraphQLSubgraphEntity`
pub static SUBGRAPH_ENTITY: Type = Type {
    name: "GraphQLSubgraphEntity",
    doc: super::doc("A subgraph of a supergraph"),
    switch: Switch::None,
    members: members! {
        "api_id": TEXT, Stored => "The API that serves it";
        "name": TEXT, Stored => "Its name";
        "url": TEXT, Stored => "Its URL; gateway://<api id> for an API of this gateway";
        "sdl": TEXT, Stored => "Its schema in GraphQL's own language";
        "headers": HEADER_MAP, Stored, secret => "Headers it gets";
        "subscription_type": SUBSCRIPTIONS, Stored => "The protocol of its subscriptions";
        "sse_use_post": BOOL, Stored => "Subscribes with POST when the protocol is sse";
    },
};
