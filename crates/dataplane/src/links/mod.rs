//! The links: a file for each of reference 3.1 that is there, and what several of them share.

pub mod access_rights;
pub mod address_lists;
pub mod api_rate_limit;
pub mod auth_token;
pub mod circuit_breakers;
pub mod context_variables;
pub mod cors;
pub mod counters;
pub mod expiry;
pub mod granular_access;
pub mod hard_timeouts;
pub mod header_rules;
pub mod header_transforms;
pub mod key_limits;
pub mod key_state;
pub mod load_balancing;
pub mod loop_target;
pub mod method_transforms;
pub mod mock_responses;
pub mod organisation;
pub mod path_lists;
pub mod response_headers;
pub mod response_processors;
pub mod size_limits;
pub mod strip_auth_data;
pub mod url_rewrites;
