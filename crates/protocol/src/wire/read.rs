//! Decodes values.

use super::WireError;
use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, SeqAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt::Display;

/// The text still to be read.
pub(super) struct Reader<'de>(pub(super) &'de str);

impl<'de> Reader<'de> {
    #[inline(never)]
    fn number(&mut self) -> Result<u64, WireError> {
        let (digits, rest) = self.0.split_once(';').ok_or(WireError::Broken)?;
        self.0 = rest;
        digits.parse().map_err(|_| WireError::Broken)
    }

    fn length(&mut self) -> Result<usize, WireError> {
        usize::try_from(self.number()?).map_err(|_| WireError::Broken)
    }

    #[inline(never)]
    fn text(&mut self) -> Result<&'de str, WireError> {
        let length = self.length()?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(WireError::Broken)?;
        self.0 = rest;
        Ok(text)
    }

    /// Reads `left` consecutive values.
    fn parts<V: Visitor<'de>>(&mut self, left: usize, visitor: V) -> Result<V::Value, WireError> {
        let reader = self;
        visitor.visit_seq(Parts {
            reader,
            left,
            may_end: false,
        })
    }

    /// Reads the fields of a struct, at most `left` and as many as there are.
    fn fields<V: Visitor<'de>>(&mut self, left: usize, visitor: V) -> Result<V::Value, WireError> {
        let reader = &mut Self(self.text()?);
        visitor.visit_seq(Parts {
            reader,
            left,
            may_end: true,
        })
    }
}

impl Error for WireError {
    fn custom<T: Display>(_: T) -> Self {
        Self::Broken
    }

    fn invalid_type(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Broken
    }

    /// An unknown variant, or a number that is too large.
    fn invalid_value(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Unknown
    }

    fn invalid_length(_: usize, _: &dyn serde::de::Expected) -> Self {
        Self::Broken
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = WireError;

    /// The encoding doesn't say of what type a value is.
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, WireError> {
        Err(WireError::Broken)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_bool(self.number()? != 0)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        match self.number()? {
            0 => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let left = self.length()?;
        self.parts(left, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.parts(left, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.fields(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 f32 f64 char bytes byte_buf unit unit_struct tuple_struct map identifier
        ignored_any
    }
}

/// Consecutive values.
struct Parts<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: usize,
    /// Whether there may be fewer values: the rest have their default.
    may_end: bool,
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = WireError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, WireError> {
        let is_over = self.may_end && self.reader.0.is_empty();
        match self.left.checked_sub(1) {
            _ if is_over => Ok(None),
            None => Ok(None),
            Some(left) => {
                self.left = left;
                seed.deserialize(&mut *self.reader).map(Some)
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> EnumAccess<'de> for &mut Reader<'de> {
    type Error = WireError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), WireError> {
        let index = u32::try_from(self.number()?).map_err(|_| WireError::Broken)?;
        let index: U32Deserializer<WireError> = index.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Reader<'de> {
    type Error = WireError;

    fn unit_variant(self) -> Result<(), WireError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, WireError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.parts(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.fields(fields.len(), visitor)
    }
}
