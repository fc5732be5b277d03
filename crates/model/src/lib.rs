//! Values and rules of Gatewright.
