//! GraphQL: an API whose queries the gateway checks, proxies or composes.

use super::Support::Stored;
use super::graphql_sources::ENGINE;
use super::{ANY, BOOL, Format, HEADER_MAP, Kind, Names, Switch, TEXT, Type, members, one_of};

pub(super) const SUBSCRIPTIONS: Kind = one_of!("", "graphql-ws", "graphql-transport-ws", "sse");
const TIME: Kind = Kind::Format(Format::Timestamp);

/// `GraphQLConfig`
pub static GRAPHQL: Type = Type {
    name: "GraphQLConfig",
    doc: super::doc("GraphQL that the gateway validates, proxies or composes"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Stored => "Treats the API as GraphQL";
        "execution_mode": one_of!("proxyOnly", "executionEngine", "subgraph", "supergraph", ""), Stored => "Who answers queries";
        "version": one_of!("1", "2", "3-preview", ""), Stored => "The configuration version";
        "schema": TEXT, Stored => "The schema in GraphQL SDL";
        "last_schema_update": TIME, Stored => "When the schema was last changed, RFC 3339";
        "type_field_configurations": Kind::Array(&Kind::Object(&TYPE_FIELD)), Stored => "Data sources of version 1";
        "engine": Kind::Object(&ENGINE), Stored => "Data sources of version 2";
        "proxy": Kind::Object(&PROXY), Stored => "Headers and subscriptions of the upstream";
        "introspection": Kind::Object(&INTROSPECTION), Stored, needs("enabled") => "Whether the schema may be introspected";
        "playground": Kind::Object(&PLAYGROUND), Stored => "A page for trying out queries";
        "subgraph": Kind::Object(&SUBGRAPH), Stored => "The schema of this subgraph";
        "supergraph": Kind::Object(&SUPERGRAPH), Stored => "The subgraphs of this supergraph";
    },
};

/// `DatasourceTypeFieldConfiguration`
pub static TYPE_FIELD: Type = Type {
    name: "DatasourceTypeFieldConfiguration",
    doc: super::doc("The source of a field's value, in version 1"),
    switch: Switch::None,
    members: members! {
        "type_name": TEXT, Stored => "The type the field belongs to";
        "field_name": TEXT, Stored => "The field";
        "data_source": Kind::Object(&TYPE_FIELD_SOURCE), Stored => "The data source of its value";
        "mapping": Kind::Object(&TYPE_FIELD_MAPPING), Stored => "Where the value is in the response";
    },
};

/// `DatasourceTypeFieldConfiguration.data_source`
pub static TYPE_FIELD_SOURCE: Type = Type {
    name: "DatasourceTypeFieldConfiguration.data_source",
    doc: super::doc("The data source of a field's value"),
    switch: Switch::None,
    members: members! {
        "kind": TEXT, Stored => "The kind of data source";
        "data_source_config": ANY, Stored => "The settings of that kind";
    },
};

/// `DatasourceTypeFieldConfiguration.mapping`
pub static TYPE_FIELD_MAPPING: Type = Type {
    name: "DatasourceTypeFieldConfiguration.mapping",
    doc: super::doc("Where the value of a field is in the response"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored => "Uses the whole response";
        "path": TEXT, Stored => "The member of the response";
    },
};

/// `GraphQLProxyConfig`
pub static PROXY: Type = Type {
    name: "GraphQLProxyConfig",
    doc: super::doc("Headers and subscriptions of the upstream"),
    switch: Switch::None,
    members: members! {
        "auth_headers": HEADER_MAP, Stored, secret => "Headers for fetching the schema";
        "request_headers": HEADER_MAP, Stored, secret => "Headers added to every request";
        "request_headers_rewrite": Kind::Map(&Names::Format(Format::Header), &Kind::Object(&HEADER_REWRITE)), Stored => "Request headers that are changed or removed";
        "features": Kind::Object(&PROXY_FEATURES), Stored => "Which headers of the client take precedence";
        "subscription_type": SUBSCRIPTIONS, Stored => "The subscription protocol";
        "sse_use_post": BOOL, Stored => "Subscribes with POST if the protocol is sse";
        "use_response_extensions": Kind::Object(&RESPONSE_EXTENSIONS), Stored => "Which extensions of the upstream's responses are passed on";
    },
};

/// `GraphQLProxyConfig.request_headers_rewrite`
pub static HEADER_REWRITE: Type = Type {
    name: "GraphQLProxyConfig.request_headers_rewrite",
    doc: super::doc("A change to a request header"),
    switch: Switch::None,
    members: members! {
        "value": TEXT, Stored, secret => "Its new value";
        "remove": BOOL, Stored => "Removes it if its value is empty";
    },
};

/// `GraphQLProxyConfig.features`
pub static PROXY_FEATURES: Type = Type {
    name: "GraphQLProxyConfig.features",
    doc: super::doc("Which headers of the client take precedence"),
    switch: Switch::None,
    members: members! {
        "use_immutable_headers": BOOL, Stored => "Keeps request_headers from overwriting headers of the client";
    },
};

/// `GraphQLProxyConfig.use_response_extensions`
pub static RESPONSE_EXTENSIONS: Type = Type {
    name: "GraphQLProxyConfig.use_response_extensions",
    doc: super::doc("Which extensions of the upstream's responses are passed on"),
    switch: Switch::None,
    members: members! {
        "on_error_forwarding": BOOL, Stored => "Passes on the extensions of errors";
    },
};

/// `GraphQLConfig.introspection`
pub static INTROSPECTION: Type = Type {
    name: "GraphQLConfig.introspection",
    doc: super::doc("Whether the schema may be introspected"),
    switch: Switch::None,
    members: members! {
        "disabled": BOOL, Stored, protects("the closing of introspection") => "Refuses introspection of the schema";
    },
};

/// `GraphQLConfig.playground`
pub static PLAYGROUND: Type = Type {
    name: "GraphQLConfig.playground",
    doc: super::doc("A page for trying out queries"),
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
        "sdl": TEXT, Stored => "The schema in GraphQL SDL, with federation directives";
    },
};

/// `GraphQLSupergraphConfig`
pub static SUPERGRAPH: Type = Type {
    name: "GraphQLSupergraphConfig",
    doc: super::doc("The subgraphs of a supergraph"),
    switch: Switch::None,
    members: members! {
        "subgraphs": Kind::Array(&Kind::Object(&SUBGRAPH_ENTITY)), Stored => "The subgraphs";
        "merged_sdl": TEXT, Stored => "The merged schema of all subgraphs";
        "global_headers": HEADER_MAP, Stored, secret => "Headers sent to every subgraph";
        "disable_query_batching": BOOL, Stored => "Sends subgraphs one query at a time";
        "updated_at": TIME, Stored => "When the schema was last updated, RFC 3339";
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
        "sdl": TEXT, Stored => "Its schema in GraphQL SDL";
        "headers": HEADER_MAP, Stored, secret => "Headers sent to it";
        "subscription_type": SUBSCRIPTIONS, Stored => "Its subscription protocol";
        "sse_use_post": BOOL, Stored => "Subscribes with POST if the protocol is sse";
    },
};
