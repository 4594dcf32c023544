// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters. `Default` gives the library's defaults: `DecodeParams { max_new: 64, ..Default::default() }`.
use crate::DecodeFlags;
use libnxs_sys as sys;
use std::mem::size_of;

/// Fills a struct of the library with defaults.
fn initial<T: Default>(init: unsafe extern "C" fn(*mut T, u32)) -> T {
    let mut params = T::default();
    // SAFETY: the struct has the size that is said.
    unsafe { init(&mut params, size_of::<T>() as u32) };
    params
}

/// How a model is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelParams {
    /// Threads for packing; 0 = as for sessions.
    pub n_threads: u32,
    /// Refuse a model whose weights take more; 0 = no limit.
    pub max_bytes: i64,
}

impl ModelParams {
    pub(crate) fn to_c(self) -> sys::nxs_model_params {
        let initial = initial(sys::nxs_model_params_init);
        sys::nxs_model_params { n_threads: self.n_threads, max_bytes: self.max_bytes, ..initial }
    }
}

/// Instruction sets. They change the speed, never a bit.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Isa {
    Best = sys::NXS_ISA_BEST,
    Reference = sys::NXS_ISA_REFERENCE,
    Avx2 = sys::NXS_ISA_AVX2,
    Avx512 = sys::NXS_ISA_AVX512,
    Neon = sys::NXS_ISA_NEON,
}

impl Isa {
    /// The one with this number; `Best` for one that this crate does not know.
    pub(crate) fn from_code(code: u32) -> Isa {
        let known = [Isa::Reference, Isa::Avx2, Isa::Avx512, Isa::Neon];
        known.into_iter().find(|isa| *isa as u32 == code).unwrap_or(Isa::Best)
    }
}

/// Types of keys and values. They change the bits, and so the receipt.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum KvType {
    F16 = sys::NXS_KV_F16,
    F32 = sys::NXS_KV_F32,
}

/// The size of a session. Of these only `kv_type` changes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionParams {
    /// The calling thread counts; 0 = physical cores that this process may use.
    pub n_threads: u32,
    /// One that the CPU lacks is `Status::Unsupported`.
    pub isa: Isa,
    /// Type of keys and values.
    pub kv_type: KvType,
    /// Tokens in a page, a power of two, 1 to 256.
    pub page_tokens: u32,
    /// Most rows of one forward while a prompt is taken in.
    pub prefill_chunk: u32,
    /// Longest sequence; 0 = the model's.
    pub n_ctx: i64,
    /// Tokens in the pool ([`kv_tokens`](crate::kv_tokens)); 0 = grow.
    pub kv_tokens: i64,
}

impl Default for SessionParams {
    fn default() -> SessionParams {
        let c = initial(sys::nxs_session_params_init);
        SessionParams {
            n_threads: c.n_threads,
            isa: Isa::Best,
            kv_type: KvType::F16,
            page_tokens: c.page_tokens,
            prefill_chunk: c.prefill_chunk,
            n_ctx: c.n_ctx,
            kv_tokens: c.kv_tokens,
        }
    }
}

impl SessionParams {
    pub(crate) fn to_c(self) -> sys::nxs_session_params {
        sys::nxs_session_params {
            n_threads: self.n_threads,
            isa: self.isa as u32,
            kv_type: self.kv_type as u32,
            page_tokens: self.page_tokens,
            prefill_chunk: self.prefill_chunk,
            n_ctx: self.n_ctx,
            kv_tokens: self.kv_tokens,
            ..initial(sys::nxs_session_params_init)
        }
    }
}

/// What decides the tokens of a run; part of its receipt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeParams {
    /// How the run ends and what is recorded.
    pub flags: DecodeFlags,
    /// Most tokens to emit; 0 = only take the prompt in; -1 = until a stop or the context's end.
    pub max_new: i64,
    /// A draw depends on (seed, position in the sequence) alone.
    pub seed: i64,
    /// 0 = greedy.
    pub temperature: f32,
    /// 1 = off.
    pub top_p: f32,
    /// 0 = off.
    pub min_p: f32,
    /// 0 = off.
    pub top_k: i32,
    /// 1 = off.
    pub repeat_penalty: f32,
    /// How many last tokens the penalty looks at.
    pub repeat_last: i32,
}

impl Default for DecodeParams {
    fn default() -> DecodeParams {
        let c = initial(sys::nxs_decode_params_init);
        DecodeParams {
            flags: DecodeFlags(c.flags),
            max_new: c.max_new,
            seed: c.seed,
            temperature: c.temperature,
            top_p: c.top_p,
            min_p: c.min_p,
            top_k: c.top_k,
            repeat_penalty: c.repeat_penalty,
            repeat_last: c.repeat_last,
        }
    }
}

impl DecodeParams {
    /// The defaults of a vote, whose samples must differ: temperature 0.7, top-k 40.
    pub fn for_votes() -> DecodeParams {
        DecodeParams { temperature: 0.7, top_k: 40, ..DecodeParams::default() }
    }

    pub(crate) fn to_c(self) -> sys::nxs_decode_params {
        sys::nxs_decode_params {
            flags: self.flags.0,
            max_new: self.max_new,
            seed: self.seed,
            temperature: self.temperature,
            top_p: self.top_p,
            min_p: self.min_p,
            top_k: self.top_k,
            repeat_penalty: self.repeat_penalty,
            repeat_last: self.repeat_last,
            ..initial(sys::nxs_decode_params_init)
        }
    }
}

/// The size of a prompt lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookupParams {
    /// Most tokens in a draft; 0 = never draft.
    pub draft_max: u32,
    /// Longest suffix looked up.
    pub ngram_max: u32,
    /// Shortest.
    pub ngram_min: u32,
    /// Verify less of a draft while acceptance is too low to pay.
    pub adaptive: bool,
    /// What a further row of a forward then counts, as a share of one; 0 = by the kind of weights.
    pub row_cost: f32,
}

impl Default for LookupParams {
    fn default() -> LookupParams {
        let c = initial(sys::nxs_lookup_params_init);
        LookupParams {
            draft_max: c.draft_max,
            ngram_max: c.ngram_max,
            ngram_min: c.ngram_min,
            adaptive: c.adaptive != 0,
            row_cost: c.row_cost,
        }
    }
}

impl LookupParams {
    pub(crate) fn to_c(self) -> sys::nxs_lookup_params {
        sys::nxs_lookup_params {
            draft_max: self.draft_max,
            ngram_max: self.ngram_max,
            ngram_min: self.ngram_min,
            adaptive: self.adaptive.into(),
            row_cost: self.row_cost,
            ..initial(sys::nxs_lookup_params_init)
        }
    }
}

/// Takes the answer out of a sample's text, as `nxs.h` defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Extractor {
    /// Answers are set by [`Vote::set_answer`](crate::Vote::set_answer).
    None = sys::NXS_EXTRACT_NONE,
    /// The last integer in the text.
    LastInteger = sys::NXS_EXTRACT_LAST_INTEGER,
    /// The same, with decimal parts.
    LastNumber = sys::NXS_EXTRACT_LAST_NUMBER,
    /// The content of the last `\boxed{}`.
    Boxed = sys::NXS_EXTRACT_BOXED,
}

/// How many samples are drawn, and how they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteParams {
    /// 1 to 1048576.
    pub n_samples: u32,
    /// Where answers come from.
    pub extractor: Extractor,
    /// Most samples in one forward; 0 = as many as the pool holds. Changes no bit.
    pub max_batch: u32,
    /// Sample s draws from `seed + s * seed_stride`.
    pub seed_stride: i64,
    /// Stop as soon as the samples that remain cannot change the winner.
    pub early: bool,
}

impl Default for VoteParams {
    fn default() -> VoteParams {
        let c = initial(sys::nxs_vote_params_init);
        VoteParams {
            n_samples: c.n_samples,
            extractor: Extractor::LastInteger,
            max_batch: c.max_batch,
            seed_stride: c.seed_stride,
            early: c.flags & sys::NXS_VOTE_EARLY != 0,
        }
    }
}

impl VoteParams {
    pub(crate) fn to_c(self) -> sys::nxs_vote_params {
        sys::nxs_vote_params {
            n_samples: self.n_samples,
            extractor: self.extractor as u32,
            max_batch: self.max_batch,
            seed_stride: self.seed_stride,
            flags: if self.early { sys::NXS_VOTE_EARLY } else { 0 },
            ..initial(sys::nxs_vote_params_init)
        }
    }
}
