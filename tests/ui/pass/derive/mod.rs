//! What the mistakes in `fail/derive` were meant to be.

mod caller_option;
mod field_not_serialize;
mod final_both;
mod final_on_the_enum;
mod final_struct;
mod final_twice;
mod final_undecided;
mod final_with_a_value;
mod key_part_enum_with_fields;
mod key_part_generic;
mod key_part_of_a_float;
mod key_part_union;
mod key_part_unknown_option;
mod operational_enum;
mod unknown_option;
