//! Batch requests: several requests to one API in one call (reference section 4).

use super::Support::Enforced;
use super::{BOOL, Format, HEADER_MAP, Kind, METHOD, Switch, TEXT, Type, members};

/// The body of a batch request
pub static BATCH_REQUEST: Type = Type {
    name: "BatchRequest",
    doc: super::doc("Several requests to one API in one call"),
    switch: Switch::None,
    members: members! {
        "requests": Kind::Array(&Kind::Object(&BATCH_ITEM)), Enforced => "The requests";
        "suppress_parallel_execution": BOOL, Enforced, default("false") => "Sends the requests one after another";
    },
};

/// One request of a batch
pub static BATCH_ITEM: Type = Type {
    name: "BatchRequest.requests",
    doc: super::doc("One request of a batch"),
    switch: Switch::None,
    members: members! {
        "method": METHOD, Enforced, default("\"GET\"") => "The method; empty for GET";
        "relative_url": Kind::Format(Format::RelativeUrl), Enforced => "Path and query below the listen path of the API";
        "headers": HEADER_MAP, Enforced => "The only headers of the request";
        "body": TEXT, Enforced => "The request body";
    },
};
