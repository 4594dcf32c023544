// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

// The parameter structs begin with New*Params, which gives the library's defaults; a nil pointer means them too. A zero
// value is something else: MaxNew 0, for one, only takes the prompt in.

// ModelParams says how a model is opened.
type ModelParams struct {
	Threads  uint32 // for packing; 0 = as for sessions
	MaxBytes int64  // refuse a model whose weights take more; 0 = no limit
}

// ISA is an instruction set. It changes the speed, never a bit.
type ISA uint32

// The instruction sets; one that the CPU lacks is ErrUnsupported.
const (
	ISABest      ISA = C.NXS_ISA_BEST
	ISAReference ISA = C.NXS_ISA_REFERENCE
	ISAAVX2      ISA = C.NXS_ISA_AVX2
	ISAAVX512    ISA = C.NXS_ISA_AVX512
	ISANEON      ISA = C.NXS_ISA_NEON
)

// KVType is the type of keys and values. It changes the bits, and so the receipt.
type KVType uint32

// The types of keys and values.
const (
	KVF16 KVType = C.NXS_KV_F16
	KVF32 KVType = C.NXS_KV_F32
)

// SessionParams sizes a session. Of its fields only KVType changes results.
type SessionParams struct {
	Threads      uint32 // the calling one counts; 0 = physical cores that this process may use
	ISA          ISA
	KVType       KVType
	PageTokens   uint32 // tokens in a page, a power of two, 1..256
	PrefillChunk uint32 // most rows of one forward while a prompt is taken in
	Context      int64  // longest sequence; 0 = the model's
	KVTokens     int64  // tokens in the pool (see KVTokens); 0 = grow
}

// NewSessionParams returns the defaults.
func NewSessionParams() SessionParams {
	var c C.nxs_session_params
	C.nxs_session_params_init(&c, C.sizeof_nxs_session_params)
	return SessionParams{Threads: uint32(c.n_threads), ISA: ISA(c.isa), KVType: KVType(c.kv_type),
		PageTokens: uint32(c.page_tokens), PrefillChunk: uint32(c.prefill_chunk), Context: int64(c.n_ctx),
		KVTokens: int64(c.kv_tokens)}
}

func (p *SessionParams) c() *C.nxs_session_params {
	if p == nil {
		return nil
	}
	return &C.nxs_session_params{struct_size: C.sizeof_nxs_session_params, n_threads: C.uint32_t(p.Threads),
		isa: C.uint32_t(p.ISA), kv_type: C.uint32_t(p.KVType), page_tokens: C.uint32_t(p.PageTokens),
		prefill_chunk: C.uint32_t(p.PrefillChunk), n_ctx: C.int64_t(p.Context), kv_tokens: C.int64_t(p.KVTokens)}
}

// DecodeFlags change how a run ends and what is recorded of it.
type DecodeFlags uint32

// The flags of a run.
const (
	IgnoreStop DecodeFlags = C.NXS_DECODE_IGNORE_STOP // stop tokens are emitted like any other
	Logprobs   DecodeFlags = C.NXS_DECODE_LOGPROBS    // fill Result.Logprobs
)

// DecodeParams decide the tokens of a run and are part of its receipt.
type DecodeParams struct {
	Flags         DecodeFlags
	MaxNew        int64 // 0 = only take the prompt in; -1 = until a stop or the context's end
	Seed          int64
	Temperature   float32 // 0 = greedy
	TopP          float32 // 1 = off
	MinP          float32 // 0 = off
	TopK          int32   // 0 = off
	RepeatPenalty float32 // 1 = off
	RepeatLast    int32
}

// NewDecodeParams returns the defaults: greedy, at most 256 tokens. A vote begins with NewSampledParams: samples of greedy
// decoding are all alike.
func NewDecodeParams() DecodeParams {
	var c C.nxs_decode_params
	C.nxs_decode_params_init(&c, C.sizeof_nxs_decode_params)
	return DecodeParams{Flags: DecodeFlags(c.flags), MaxNew: int64(c.max_new), Seed: int64(c.seed),
		Temperature: float32(c.temperature), TopP: float32(c.top_p), MinP: float32(c.min_p), TopK: int32(c.top_k),
		RepeatPenalty: float32(c.repeat_penalty), RepeatLast: int32(c.repeat_last)}
}

// NewSampledParams returns the defaults of a vote, whose samples must differ: temperature 0.7, top-k 40.
func NewSampledParams() DecodeParams {
	p := NewDecodeParams()
	p.Temperature, p.TopK = 0.7, 40
	return p
}

func (p *DecodeParams) c() *C.nxs_decode_params {
	if p == nil {
		return nil
	}
	return &C.nxs_decode_params{struct_size: C.sizeof_nxs_decode_params, flags: C.uint32_t(p.Flags),
		max_new: C.int64_t(p.MaxNew), seed: C.int64_t(p.Seed), temperature: C.float(p.Temperature),
		top_p: C.float(p.TopP), min_p: C.float(p.MinP), top_k: C.int32_t(p.TopK),
		repeat_penalty: C.float(p.RepeatPenalty), repeat_last: C.int32_t(p.RepeatLast)}
}

// LookupParams size a prompt lookup.
type LookupParams struct {
	DraftMax uint32  // most tokens in a draft, 0 = never draft
	NgramMax uint32  // longest suffix looked up
	NgramMin uint32  // shortest
	Adaptive bool    // verify less of a draft while acceptance is too low to pay
	RowCost  float32 // what a further row of a forward then counts, as a share of one; 0 = by the kind of weights
}

// NewLookupParams returns the defaults.
func NewLookupParams() LookupParams {
	var c C.nxs_lookup_params
	C.nxs_lookup_params_init(&c, C.sizeof_nxs_lookup_params)
	return LookupParams{DraftMax: uint32(c.draft_max), NgramMax: uint32(c.ngram_max), NgramMin: uint32(c.ngram_min),
		Adaptive: c.adaptive != 0, RowCost: float32(c.row_cost)}
}

func (p *LookupParams) c() *C.nxs_lookup_params {
	if p == nil {
		return nil
	}
	c := &C.nxs_lookup_params{struct_size: C.sizeof_nxs_lookup_params, draft_max: C.uint32_t(p.DraftMax),
		ngram_max: C.uint32_t(p.NgramMax), ngram_min: C.uint32_t(p.NgramMin),
		row_cost: C.float(p.RowCost)}
	if p.Adaptive {
		c.adaptive = 1
	}
	return c
}

// Extractor takes the answer out of a sample's text.
type Extractor uint32

// The extractors, as nxs.h defines them; with ExtractNone answers are set by Vote.SetAnswer.
const (
	ExtractNone        Extractor = C.NXS_EXTRACT_NONE
	ExtractLastInteger Extractor = C.NXS_EXTRACT_LAST_INTEGER
	ExtractLastNumber  Extractor = C.NXS_EXTRACT_LAST_NUMBER
	ExtractBoxed       Extractor = C.NXS_EXTRACT_BOXED
)

// VoteParams say how many samples are drawn and how they are counted.
type VoteParams struct {
	Samples    uint32
	Extractor  Extractor
	MaxBatch   uint32 // most samples in one forward; 0 = as many as the pool holds
	SeedStride int64  // sample s draws from Seed + s * SeedStride
	Early      bool   // stop as soon as the remaining samples cannot change the winner
}

// NewVoteParams returns the defaults: 8 samples, the last integer.
func NewVoteParams() VoteParams {
	var c C.nxs_vote_params
	C.nxs_vote_params_init(&c, C.sizeof_nxs_vote_params)
	return VoteParams{Samples: uint32(c.n_samples), Extractor: Extractor(c.extractor), MaxBatch: uint32(c.max_batch),
		SeedStride: int64(c.seed_stride), Early: c.flags&C.NXS_VOTE_EARLY != 0}
}

func (p *VoteParams) c() *C.nxs_vote_params {
	if p == nil {
		return nil
	}
	c := &C.nxs_vote_params{struct_size: C.sizeof_nxs_vote_params, n_samples: C.uint32_t(p.Samples),
		extractor: C.uint32_t(p.Extractor), max_batch: C.uint32_t(p.MaxBatch), seed_stride: C.int64_t(p.SeedStride)}
	if p.Early {
		c.flags = C.NXS_VOTE_EARLY
	}
	return c
}
