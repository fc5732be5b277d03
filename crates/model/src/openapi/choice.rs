//! The consequences of the choices about paths.

use crate::shape::{Root, Support, at};

/// A choice of [`super::Options`] that becomes rules for the paths of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathChoice {
    /// `allow_list`.
    AllowList,
    /// `validate_requests`.
    ValidateRequests,
    /// `mock_responses`.
    MockResponses,
}

impl PathChoice {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::AllowList, Self::ValidateRequests, Self::MockResponses];

    /// Returns its member of [`super::Options`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllowList => "allow_list",
            Self::ValidateRequests => "validate_requests",
            Self::MockResponses => "mock_responses",
        }
    }

    /// Returns the list of `extended_paths` that it fills.
    const fn list(self) -> &'static str {
        match self {
            Self::AllowList => "white_list",
            Self::ValidateRequests => "validate_request",
            Self::MockResponses => "mock_response",
        }
    }

    /// Returns what this runtime does with the rules, if it doesn't enforce them.
    #[must_use]
    pub fn consequence(self) -> Option<&'static str> {
        let pointer = format!("/version_data/versions/v/extended_paths/{}", self.list());
        let member = at(Root::ApiDefinition, &pointer)?.member?;
        if *member.support == Support::Enforced {
            None
        } else if member.is_aside() {
            Some("This has no effect yet.")
        } else {
            Some("This isn't enforced yet, so the API would be stored, but not served.")
        }
    }
}
