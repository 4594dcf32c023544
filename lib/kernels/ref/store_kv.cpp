// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

uint16_t stored_half(float x) {
  return tensor::float_to_half(x);
}
float stored_float(float x) {
  return x;
}

bool finite_as_stored(float x, bool f32) {
  return is_finite(f32 ? x : tensor::half_to_float(tensor::float_to_half(x)));  // |x| >= 65520 is infinity in F16
}

template <typename T, T (*kStore)(float)>
void write(T* k_tile, size_t lane, size_t lanes, T* v_row, const float* k, const float* v, size_t head_dim, bool zero) {
  for (size_t d = 0; d < head_dim; ++d) {
    k_tile[d * lanes + lane] = zero ? T{0} : kStore(k[d]);
    v_row[d] = zero ? T{0} : kStore(v[d]);
  }
}

}  // namespace

bool store_kv(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v, size_t head_dim,
              bool f32, bool zero) {
  bool finite = true;
  for (size_t d = 0; d < head_dim && !zero; ++d)
    finite = finite && finite_as_stored(k[d], f32) && finite_as_stored(v[d], f32);
  if (f32) {
    write<float, stored_float>(static_cast<float*>(k_tile), lane, lanes, static_cast<float*>(v_row), k, v, head_dim,
                               zero || !finite);
  } else {
    write<uint16_t, stored_half>(static_cast<uint16_t*>(k_tile), lane, lanes, static_cast<uint16_t*>(v_row), k, v,
                                 head_dim, zero || !finite);
  }
  return finite;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
