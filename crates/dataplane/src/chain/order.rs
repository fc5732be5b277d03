//! The order of the links: one array, that of reference 3.1.

use super::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::links;

/// A place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row of the table in reference 3.1; `R` for the response chain.
    pub row: &'static str,
    /// The link's name, in traces and in the chain of an API.
    pub name: &'static str,
    /// The same for people.
    pub title: &'static str,
}

/// Declares the links in their order, with the row of reference 3.1, name, title, and type.
macro_rules! order {
    ($( $row:literal $name:literal $title:literal $module:ident::$link:ident; )*) => {
        /// A link of a chain.
        #[derive(Debug)]
        pub enum Link {
            $(
                #[doc = $title]
                $link(links::$module::$link),
            )*
        }

        /// The order of the links.
        pub const ORDER: &[Place] = &[
            $( Place { row: $row, name: $name, title: $title }, )*
        ];

        impl Link {
            /// The links that a definition asks for.
            pub(super) fn compile_all(from: &mut Compiler<'_>) -> Vec<Self> {
                let mut compiled = Vec::new();
                $(
                    from.begin($name);
                    compiled.extend(links::$module::$link::compile(from).map(Self::$link));
                )*
                compiled
            }

            /// Its name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$link(_) => $name, )* }
            }

            /// Decides about a request.
            pub fn request(&self, exchange: &mut Exchange) -> Step {
                match self { $( Self::$link(link) => link.request(exchange), )* }
            }

            /// Says what is to be changed about the answer of the upstream.
            pub fn response(&self, exchange: &mut Exchange) {
                match self { $( Self::$link(link) => link.response(exchange), )* }
            }

            /// True if it needs to see no request.
            #[must_use]
            pub fn is_plain(&self) -> bool {
                match self { $( Self::$link(link) => link.is_plain(), )* }
            }
        }
    };
}

order! {
    "2" "expiry" "Expiry" expiry::Expiry;
    "2" "mock_response" "Mock responses" mock_responses::MockResponses;
    "2" "path_lists" "Path lists" path_lists::PathLists;
    "3" "cors" "CORS" cors::Cors;
    "6" "address_lists" "IP lists" address_lists::AddressLists;
    "9" "organisation" "Organisation" organisation::Organisation;
    "10" "size_limits" "Size limits" size_limits::SizeLimits;
    "11" "context_variables" "Context variables" context_variables::ContextVariables;
    "14" "auth_token" "Token" auth_token::AuthToken;
    "16" "strip_auth_data" "Strip credentials" strip_auth_data::StripAuthData;
    "17" "key_state" "Key state" key_state::KeyState;
    "18" "access_rights" "Access rights" access_rights::AccessRights;
    "19" "granular_access" "Allowed URLs" granular_access::GranularAccess;
    "20" "key_limits" "Key limits" key_limits::KeyLimits;
    "23" "api_rate_limit" "API rate limits" api_rate_limit::ApiRateLimit;
    "23" "counters" "Limits" counters::Counters;
    "31" "transform_headers" "Header transforms" header_transforms::HeaderTransforms;
    "32" "url_rewrites" "URL rewrites" url_rewrites::UrlRewrites;
    "33" "method_transforms" "Method transforms" method_transforms::MethodTransforms;
    "40" "hard_timeouts" "Timeouts" hard_timeouts::HardTimeouts;
    "40" "loop_target" "Loop as target" loop_target::LoopTarget;
    "R" "response_headers" "Response headers" response_headers::ResponseHeaders;
    "R" "response_processors" "Response processors" response_processors::ResponseProcessors;
}
