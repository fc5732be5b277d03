//! The data plane through its public functions, in one program: linking one takes longer than compiling these files.

mod batch;
mod debug;
mod plane;
