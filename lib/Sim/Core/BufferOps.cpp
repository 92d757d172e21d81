//===- BufferOps.cpp - memref's views at run time -------------------------===//
#include "BufferOps.h"

using namespace tilekiln::sim;

namespace {

class Maker {
public:
  Maker(const BufferRecipe &recipe, const Buffer &source, const Scalar *registers)
      : recipe(recipe), source(source), registers(registers) {}

  const char *make(Buffer &out) {
    out = source;
    switch (recipe.kind) {
    case BufferRecipe::Kind::Pointer:
      return pointer(out);
    case BufferRecipe::Kind::View:
      out.baseBytes = source.addressBytes() + value(recipe.offsets[0]);
      out.offset = 0;
      out.type = recipe.type;
      return dense(out);
    case BufferRecipe::Kind::Reinterpret:
      return reinterpret(out);
    case BufferRecipe::Kind::Subview:
      return subview(out);
    case BufferRecipe::Kind::Collapse:
      return collapse(out);
    case BufferRecipe::Kind::Expand:
      return expand(out);
    case BufferRecipe::Kind::Permute:
      for (unsigned i = 0; i < source.rank; ++i) {
        out.sizes[i] = source.sizes[recipe.permutation[i]];
        out.strides[i] = source.strides[recipe.permutation[i]];
      }
      return nullptr;
    case BufferRecipe::Kind::Retype:
      out.type = recipe.type;
      return nullptr;
    }
    return "unknown view";
  }

private:
  int64_t value(const ShapeOperand &operand) const {
    return operand.reg == noRegister ? operand.constant : registers[operand.reg].i;
  }

  const char *dense(Buffer &out) const {
    if (recipe.sizes.size() > Buffer::maxRank)
      return "a buffer of more than eight dimensions";
    out.rank = uint8_t(recipe.sizes.size());
    int64_t stride = 1;
    for (unsigned i = out.rank; i-- > 0;) {
      out.sizes[i] = value(recipe.sizes[i]);
      if (out.sizes[i] < 0)
        return "a buffer of negative extent";
      out.strides[i] = stride;
      stride *= out.sizes[i];
    }
    return nullptr;
  }

  const char *pointer(Buffer &out) const {
    out = Buffer();
    out.space = recipe.space;
    out.type = recipe.type;
    out.origin = recipe.origin;
    out.baseBytes = value(recipe.offsets[0]);
    return dense(out);
  }

  const char *reinterpret(Buffer &out) const {
    if (recipe.sizes.size() > Buffer::maxRank)
      return "a buffer of more than eight dimensions";
    out.rank = uint8_t(recipe.sizes.size());
    out.offset = value(recipe.offsets[0]);
    for (unsigned i = 0; i < out.rank; ++i) {
      out.sizes[i] = value(recipe.sizes[i]);
      out.strides[i] = value(recipe.strides[i]);
      if (out.sizes[i] < 0)
        return "a view of negative extent";
    }
    return nullptr;
  }

  const char *subview(Buffer &out) const {
    out.rank = 0;
    for (unsigned i = 0; i < source.rank; ++i) {
      out.offset += value(recipe.offsets[i]) * source.strides[i];
      if (i < recipe.dropped.size() && recipe.dropped[i])
        continue;
      out.sizes[out.rank] = value(recipe.sizes[i]);
      out.strides[out.rank] = value(recipe.strides[i]) * source.strides[i];
      if (out.sizes[out.rank] < 0)
        return "a view of negative extent";
      ++out.rank;
    }
    return nullptr;
  }

  const char *collapse(Buffer &out) const {
    unsigned from = 0;
    out.rank = uint8_t(recipe.groups.size());
    for (unsigned group = 0; group < out.rank; ++group) {
      int64_t size = 1, stride = 1;
      bool any = false;
      // The stride of the innermost dimension that is longer than one.
      for (unsigned i = recipe.groups[group]; i-- > 0;) {
        size *= source.sizes[from + i];
        if (!any || (source.sizes[from + i] != 1 && size == source.sizes[from + i]))
          stride = source.strides[from + i];
        any = true;
      }
      from += recipe.groups[group];
      out.sizes[group] = size;
      out.strides[group] = stride;
    }
    return nullptr;
  }

  const char *expand(Buffer &out) const {
    if (recipe.sizes.size() > Buffer::maxRank)
      return "a buffer of more than eight dimensions";
    unsigned to = 0;
    // One element has no groups, and 1 in every dimension.
    if (source.rank == 0)
      for (unsigned i = 0; i < recipe.sizes.size(); ++i)
        out.sizes[i] = out.strides[i] = 1;
    for (unsigned i = 0; i < source.rank; ++i) {
      int64_t stride = source.strides[i];
      for (unsigned j = recipe.groups[i]; j-- > 0;) {
        out.sizes[to + j] = value(recipe.sizes[to + j]);
        out.strides[to + j] = stride;
        stride *= out.sizes[to + j];
      }
      to += recipe.groups[i];
    }
    out.rank = uint8_t(recipe.sizes.size());
    return nullptr;
  }

  const BufferRecipe &recipe;
  const Buffer source;
  const Scalar *registers;
};

} // namespace

const char *tilekiln::sim::makeBuffer(const BufferRecipe &recipe,
                                      const Buffer &source,
                                      const Scalar *registers, Buffer &result) {
  return Maker(recipe, source, registers).make(result);
}
