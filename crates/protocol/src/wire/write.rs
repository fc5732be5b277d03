//! Encodes values.

use super::WireError;
use serde::Serialize;
use serde::ser::{
    Error, Impossible, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt::Display;

/// The text written so far.
pub(super) struct Writer(pub(super) String);

impl Writer {
    #[inline(never)]
    fn number(&mut self, number: u64) {
        self.0.push_str(&number.to_string());
        self.0.push(';');
    }

    fn length(&mut self, length: usize) -> Result<(), WireError> {
        self.number(u64::try_from(length).map_err(|_| WireError::Broken)?);
        Ok(())
    }
}

impl Error for WireError {
    fn custom<T: Display>(_: T) -> Self {
        Self::Broken
    }
}

type Written = Result<(), WireError>;

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = WireError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Impossible<(), WireError>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Fields<'a>;

    fn serialize_bool(self, value: bool) -> Written {
        self.number(u64::from(value));
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.number(value);
        Ok(())
    }

    #[inline(never)]
    fn serialize_str(self, value: &str) -> Written {
        self.length(value.len())?;
        self.0.push_str(value);
        Ok(())
    }

    fn serialize_none(self) -> Written {
        self.serialize_u64(0)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Written {
        self.number(1);
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Written {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Written {
        self.number(u64::from(index));
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, WireError> {
        self.length(length.ok_or(WireError::Broken)?)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, WireError> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, WireError> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, WireError> {
        self.number(u64::from(index));
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, WireError> {
        Ok(Fields::new(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, WireError> {
        self.number(u64::from(index));
        Ok(Fields::new(self))
    }

    fn serialize_i8(self, _: i8) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_i16(self, _: i16) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_i32(self, _: i32) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_i64(self, _: i64) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_f32(self, _: f32) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_f64(self, _: f64) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_char(self, _: char) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_unit(self) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Err(WireError::Broken)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, WireError> {
        Err(WireError::Broken)
    }
}

/// Lists and the variants of enums: consecutive parts.
macro_rules! parts {
    ($($kind:ident :: $method:ident),*) => {$(
        impl $kind for &mut Writer {
            type Ok = ();
            type Error = WireError;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Written {
                value.serialize(&mut **self)
            }

            fn end(self) -> Written {
                Ok(())
            }
        }
    )*};
}

parts!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// Fields, which have names in other formats. A skipped field is written as `0;`.
pub(super) struct Fields<'a> {
    writer: &'a mut Writer,
    /// Where they start; their length is inserted here.
    start: usize,
}

impl<'a> Fields<'a> {
    const fn new(writer: &'a mut Writer) -> Self {
        let start = writer.0.len();
        Self { writer, start }
    }

    #[inline(never)]
    fn close(self) -> Written {
        // Simulates the next release, which has one more field in every struct, for the test of two releases at once.
        #[cfg(feature = "next")]
        self.writer.0.push_str("4;next");
        let length = self.writer.0.len().saturating_sub(self.start);
        self.writer.0.insert_str(self.start, &format!("{length};"));
        Ok(())
    }
}

macro_rules! fields {
    ($($kind:ident),*) => {$(
        impl $kind for Fields<'_> {
            type Ok = ();
            type Error = WireError;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Written {
                value.serialize(&mut *self.writer)
            }

            fn skip_field(&mut self, _: &'static str) -> Written {
                self.writer.number(0);
                Ok(())
            }

            fn end(self) -> Written {
                self.close()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);
