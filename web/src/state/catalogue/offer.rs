//! The primitives that a proxy's server lists, and how complete that is.

use gatewright_model::mcp::{self, CAPABILITIES, Category};

use crate::state::mcp::Listed;

/// The maximum number of pages read of a list, in case a server never ends it.
pub const PAGES: usize = 20;

/// Returns the methods that list primitives, each with its kind of list.
pub fn list_methods() -> impl Iterator<Item = (&'static str, mcp::Listed)> {
    let methods = CAPABILITIES.iter().flat_map(|(_, methods)| *methods);
    methods.filter_map(|method| Some((*method, mcp::listed(method)?)))
}

/// How reading a list ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It is complete.
    Complete,
    /// There is more after [`PAGES`] pages.
    TooLong,
    /// The next page could not be read, for this reason.
    Failed(String),
}

/// The primitives of a server, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The primitives by category.
    pub listed: Vec<(Category, Listed)>,
    /// What could not be read, and why.
    pub troubles: Vec<(String, String)>,
    /// The methods whose lists were read completely.
    complete: Vec<&'static str>,
}

impl Offer {
    /// Creates a complete offer that consists of tools only.
    #[must_use]
    pub fn of_tools(tools: Vec<Listed>) -> Self {
        let tools = tools.into_iter();
        Self {
            listed: tools.map(|tool| (Category::Tool, tool)).collect(),
            troubles: Vec::new(),
            complete: list_methods().map(|(method, _)| method).collect(),
        }
    }

    /// Creates an offer of which nothing could be read, and why.
    #[must_use]
    pub fn refused(what: String, why: String) -> Self {
        Self {
            troubles: vec![(what, why)],
            ..Self::default()
        }
    }

    /// Adds the list that a method returned.
    pub fn take(
        &mut self,
        category: Category,
        method: &'static str,
        listed: Vec<Listed>,
        end: End,
    ) {
        let has_some = !listed.is_empty();
        let listed = listed.into_iter().map(|listed| (category, listed));
        self.listed.extend(listed);
        let trouble = match end {
            End::Complete => {
                self.complete.push(method);
                return;
            }
            End::TooLong => (
                format!("{method} has more than {PAGES} pages:"),
                "the rest is not shown.".to_owned(),
            ),
            End::Failed(why) if has_some => (format!("{method} is answered only in part."), why),
            End::Failed(why) => (format!("{method} is not answered."), why),
        };
        self.troubles.push(trouble);
    }

    /// Whether the lists of a category are complete.
    #[must_use]
    pub fn is_complete(&self, category: Category) -> bool {
        let mut own = list_methods().filter(|(_, listed)| listed.category == category);
        own.all(|(method, _)| self.complete.contains(&method))
    }
}
