// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::error::{check, grown};
use crate::{c_string, made, text_of, ChatFlags, DecodeParams, Error, ModelParams, Result, TextFlags, Token};
use libnxs_sys as sys;
use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null_mut, NonNull};

/// An open model file: immutable, shared by any number of threads and sessions.
#[derive(Debug)]
pub struct Model {
    raw: NonNull<sys::nxs_model>,
}

// SAFETY: models are immutable, and closed on any thread.
unsafe impl Send for Model {}
// SAFETY: as above.
unsafe impl Sync for Model {}

/// What a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct ModelInfo {
    pub n_vocab: u32,
    pub n_layers: u32,
    pub n_embd: u32,
    pub n_heads: u32,
    pub n_heads_kv: u32,
    /// Tokens that the model was trained for.
    pub n_ctx: i64,
    /// Resident memory of the weights.
    pub weight_bytes: i64,
    /// With F16 keys and values.
    pub kv_bytes_per_token: i64,
    /// Weights that one decoding step reads.
    pub step_bytes: i64,
}

/// One turn of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// "system", "user", "assistant" or what the model's template knows.
    pub role: &'a str,
    /// Never parsed for control tokens.
    pub content: &'a str,
}

impl<'a> Message<'a> {
    /// A turn of the user.
    pub fn user(content: &'a str) -> Message<'a> {
        Message { role: "user", content }
    }

    /// A text of the system.
    pub fn system(content: &'a str) -> Message<'a> {
        Message { role: "system", content }
    }

    /// A turn of the model.
    pub fn assistant(content: &'a str) -> Message<'a> {
        Message { role: "assistant", content }
    }
}

impl Model {
    /// Reads, checks and packs a GGUF file, which is not needed afterwards.
    pub fn open(path: impl AsRef<Path>) -> Result<Model> {
        Model::open_with(path, &ModelParams::default())
    }

    /// The same with parameters.
    pub fn open_with(path: impl AsRef<Path>, params: &ModelParams) -> Result<Model> {
        let path = c_string("path", path.as_ref().as_os_str().as_bytes())?;
        let (mut raw, params) = (null_mut(), params.to_c());
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_model_open(&mut raw, path.as_ptr(), &params, err) })?;
        Ok(Model { raw: made(raw) })
    }

    /// The same from memory, which is copied.
    pub fn from_bytes(data: &[u8], params: &ModelParams) -> Result<Model> {
        let (mut raw, params) = (null_mut(), params.to_c());
        // SAFETY: all pointers are good for the call.
        check(|err| unsafe { sys::nxs_model_open_memory(&mut raw, data.as_ptr().cast(), data.len(), &params, err) })?;
        Ok(Model { raw: made(raw) })
    }

    pub(crate) fn raw(&self) -> *const sys::nxs_model {
        self.raw.as_ptr()
    }

    /// What the model is.
    pub fn info(&self) -> ModelInfo {
        // SAFETY: the struct lives as long as the model.
        let i = unsafe { &*sys::nxs_model_get_info(self.raw()) };
        ModelInfo {
            n_vocab: i.n_vocab,
            n_layers: i.n_layers,
            n_embd: i.n_embd,
            n_heads: i.n_heads,
            n_heads_kv: i.n_heads_kv,
            n_ctx: i.n_ctx,
            weight_bytes: i.weight_bytes,
            kv_bytes_per_token: i.kv_bytes_per_token,
            step_bytes: i.step_bytes,
        }
    }

    /// A string value of the file, such as that of "general.name".
    pub fn string(&self, key: &str) -> Option<Cow<'_, str>> {
        let key = c_string("key", key).ok()?;
        // SAFETY: the string lives as long as the model.
        unsafe { text_of(sys::nxs_model_string(self.raw(), key.as_ptr())) }
    }

    /// What a log would have said while the model was opened.
    pub fn notes(&self) -> impl Iterator<Item = Cow<'_, str>> {
        // SAFETY: the strings live as long as the model.
        (0..).map_while(|i| unsafe { text_of(sys::nxs_model_note(self.raw(), i)) })
    }

    /// Identifies weights, vocabulary and hyper-parameters: 32 hex digits.
    pub fn digest(&self) -> Cow<'_, str> {
        // SAFETY: the string lives as long as the model.
        unsafe { text_of(sys::nxs_model_digest(self.raw())) }.unwrap_or_default()
    }

    /// The tokens of a text.
    pub fn tokenize(&self, text: impl AsRef<[u8]>, flags: TextFlags) -> Result<Vec<Token>> {
        Ok(self.tokenize_counting(text.as_ref(), flags)?.0)
    }

    /// The tokens of what the vocabulary can express, and how many bytes it cannot.
    pub fn tokenize_lossy(&self, text: impl AsRef<[u8]>, flags: TextFlags) -> Result<(Vec<Token>, usize)> {
        self.tokenize_counting(text.as_ref(), flags | TextFlags::DROP)
    }

    fn tokenize_counting(&self, text: &[u8], flags: TextFlags) -> Result<(Vec<Token>, usize)> {
        let dropped = std::cell::Cell::new(0);
        let tokens = grown(text.len() / 2 + 16, |out, capacity, n, err| {
            let (from, size) = (text.as_ptr().cast(), text.len());
            // SAFETY: pointers and lengths belong together.
            unsafe { sys::nxs_tokenize(out, capacity, n, dropped.as_ptr(), self.raw(), from, size, flags.0, err) }
        })?;
        Ok((tokens, dropped.get()))
    }

    /// The bytes of tokens; the last one may end inside a character.
    pub fn detokenize(&self, tokens: &[Token], flags: TextFlags) -> Result<Vec<u8>> {
        grown(8 * tokens.len() + 16, |out: *mut u8, capacity, n, err| {
            let (from, count) = (tokens.as_ptr(), tokens.len());
            // SAFETY: pointers and lengths belong together.
            unsafe { sys::nxs_detokenize(out.cast(), capacity, n, self.raw(), from, count, flags.0, err) }
        })
    }

    /// Whether the token ends a run.
    pub fn is_stop(&self, token: Token) -> bool {
        // SAFETY: any number may be asked about.
        unsafe { sys::nxs_token_is_stop(self.raw(), token) != 0 }
    }

    /// Renders messages as the model's own template does.
    pub fn chat_format(&self, messages: &[Message<'_>], flags: ChatFlags) -> Result<Vec<Token>> {
        let roles = messages.iter().map(|m| c_string("role", m.role)).collect::<Result<Vec<_>>>()?;
        let list: Vec<_> = messages
            .iter()
            .zip(&roles)
            .map(|(m, role)| sys::nxs_message {
                role: role.as_ptr(),
                content: m.content.as_ptr().cast(),
                content_len: m.content.len(),
            })
            .collect();
        grown(256, |out, capacity, n, err| {
            // SAFETY: pointers and lengths belong together.
            unsafe { sys::nxs_chat_format(out, capacity, n, self.raw(), list.as_ptr(), list.len(), flags.0, err) }
        })
    }

    /// The token that a run with these parameters would choose from a row of logits to stand at index `position`: for
    /// loops over [`Session::forward`](crate::Session::forward). `context`: the tokens right before it, for a penalty.
    pub fn sample(&self, logits: &[f32], position: i64, context: &[Token], params: &DecodeParams) -> Result<Token> {
        if logits.len() != self.info().n_vocab as usize {
            return Err(Error::argument("logits is not one row of the vocabulary"));
        }
        let (mut token, params) = (0, params.to_c());
        let (row, before, n) = (logits.as_ptr(), context.as_ptr(), context.len());
        // SAFETY: pointers and lengths belong together, and the row has a logit for each token.
        check(|err| unsafe { sys::nxs_sample(&mut token, self.raw(), row, position, before, n, &params, err) })?;
        Ok(token)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: nobody has it any more.
        unsafe { sys::nxs_model_close(self.raw.as_ptr()) }
    }
}
