// SPDX-License-Identifier: GPL-2.0-or-later
//! Marks of Rust programs: a module, with a C file beside it (rust.c), and no crate.
//!
//! ```sh
//! cc -O2 -c rust.c && ar rcs libspt_mark.a rust.o
//! rustc -O -L . -l static=spt_mark program.rs
//! ```
//!
//! ```ignore
//! mod spt_mark;
//! {
//!     let _span = spt_mark::span("db", "query");	// up to the end of the block
//! }
//! spt_mark::instant("ui", "key", "");
//! ```
#![allow(dead_code)]

extern "C" {
    fn spt_mark_c_is_recorded() -> bool;
    fn spt_mark_c_now() -> u64;
    fn spt_mark_c_put(
        kind: u32,
        value: u64,
        category: *const u8,
        category_bytes: usize,
        name: *const u8,
        name_bytes: usize,
        message: *const u8,
        message_bytes: usize,
    );
}

/// The values of `enum spt_mark_type`.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    Begin = 1,
    End = 2,
    Span = 3,
    Instant = 4,
    Message = 5,
    Counter = 6,
    Open = 7,
    Close = 8,
    FlowBegin = 9,
    FlowEnd = 10,
}

const SEVERITY_INFO: u64 = 6;

fn put(kind: Kind, value: u64, category: &str, name: &str, message: &str) {
    // SAFETY: the texts are copied before the function returns, by their lengths.
    unsafe {
        spt_mark_c_put(
            kind as u32,
            value,
            category.as_ptr(),
            category.len(),
            name.as_ptr(),
            name.len(),
            message.as_ptr(),
            message.len(),
        )
    }
}

/// Whether somebody records: what it takes to make a message need be done only then.
#[inline]
pub fn is_recorded() -> bool {
    // SAFETY: reads a word.
    unsafe { spt_mark_c_is_recorded() }
}

/// A span of this thread, which ends when it is dropped.
#[must_use = "the span ends where this is dropped"]
pub struct Span<'a> {
    category: &'a str,
    name: &'a str,
    begin: u64,
    thread: std::marker::PhantomData<*const ()>,
}

pub fn span<'a>(category: &'a str, name: &'a str) -> Span<'a> {
    // SAFETY: reads a clock.
    let begin = unsafe { spt_mark_c_now() };
    Span { category, name, begin, thread: std::marker::PhantomData }
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        if self.begin != 0 {
            put(Kind::Span, self.begin, self.category, self.name, "");
        }
    }
}

pub fn begin(category: &str, name: &str) {
    put(Kind::Begin, 0, category, name, "");
}

pub fn end(name: &str) {
    put(Kind::End, 0, "", name, "");
}

/// A span that any thread or process of the recording may end with `close`.
pub fn open(category: &str, name: &str) {
    put(Kind::Open, 0, category, name, "");
}

pub fn close(name: &str) {
    put(Kind::Close, 0, "", name, "");
}

pub fn instant(category: &str, name: &str, message: &str) {
    put(Kind::Instant, 0, category, name, message);
}

/// A line of the log.
pub fn message(text: &str) {
    put(Kind::Message, SEVERITY_INFO, "", "", text);
}

pub fn counter(name: &str, value: f64) {
    put(Kind::Counter, value.to_bits(), "", name, "");
}

pub fn flow_begin(name: &str, id: u64) {
    put(Kind::FlowBegin, id, "", name, "");
}

pub fn flow_end(name: &str, id: u64) {
    put(Kind::FlowEnd, id, "", name, "");
}
