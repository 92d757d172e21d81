//===- Convolution.cpp - T.im2col -----------------------------------------===//
//
// A tile of the matrix whose rows are output positions and whose columns are
// (kernel row, kernel column, channel). Channels lie side by side in the image,
// so that a row is put together from copies of channels; positions outside of
// the image are outside of its tensor, which reads as its pad value.
//
//===----------------------------------------------------------------------===//
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace tilekiln;

LogicalResult Importer::importIm2col(TirNode call) {
  TirList args = call.list("args");
  if (args.size() < 8)
    return fail() << "malformed TIR: T.im2col has " << args.size() << " arguments, 8 are needed";
  FailureOr<Region> image = importRegion(args[0]);
  FailureOr<Region> tile = failed(image) ? FailureOr<Region>(failure()) : importRegion(args[1]);
  if (failed(tile))
    return failure();
  BufferInfo source = *image->buffer, dest = *tile->buffer;
  if (!source.isGlobal || dest.isGlobal || source.shape.size() != 4 || dest.shape.size() != 2)
    return fail() << "T.im2col needs a global image of four dimensions (batch, height, width, "
                     "channel) and an on-chip matrix; '"
                  << source.name << "' has " << source.shape.size() << " and '" << dest.name
                  << "' " << dest.shape.size();
  if (source.dtype.memory != dest.dtype.memory)
    return fail() << "T.im2col from '" << source.name << "' to '" << dest.name
                  << "' changes the element type; T.copy to a buffer of the other type after it";
  int64_t numbers[4];
  for (unsigned i = 0; i < 4; ++i) {
    std::optional<int64_t> known = args[4 + i].constant();
    if (!known || *known < (i == 3 ? 0 : 1))
      return fail() << "T.im2col's kernel, stride and dilation must be positive constants, its "
                       "padding a constant";
    numbers[i] = *known;
  }
  auto [kernel, stride, dilation, pad] = std::tuple(numbers[0], numbers[1], numbers[2], numbers[3]);
  std::optional<int64_t> channels = getConstantIntValue(source.shape[3]);
  if (!channels || *channels < 1)
    return fail() << "T.im2col needs a constant number of channels; that of '" << source.name
                  << "' is known only at run time";
  Value rowStep = importIndex(args[2]);
  Value columnStep = rowStep ? importIndex(args[3]) : Value();
  if (!columnStep)
    return failure();

  auto number = [&](int64_t value) { return indexConstant(value); };
  auto add = [&](Value a, Value b) { return fold<arith::AddIOp>(a, b); };
  auto times = [&](Value a, int64_t b) { return fold<arith::MulIOp>(a, number(b)); };
  auto over = [&](Value a, Value b) { return fold<arith::FloorDivSIOp>(a, b); };
  auto rest = [&](Value a, Value b) { return fold<arith::RemSIOp>(a, b); };
  // (extent + 2 pad - dilation (kernel - 1) - 1) / stride + 1
  auto positions = [&](OpFoldResult extent) {
    Value room = add(valueOf(extent), number(2 * pad - dilation * (kernel - 1) - 1));
    return add(over(room, number(stride)), number(1));
  };
  Value outHeight = positions(source.shape[1]), outWidth = positions(source.shape[2]);
  // No output position at all: a divisor of zero must not be met.
  auto divisor = [&](Value value) { return fold<arith::MaxSIOp>(value, number(1)); };
  Value plane = divisor(fold<arith::MulIOp>(outHeight, outWidth)), width = divisor(outWidth);

  int64_t rows = *getConstantIntValue(tile->sizes[0]), columns = *getConstantIntValue(tile->sizes[1]);
  int64_t run = std::gcd(*channels, columns);
  int64_t runBytes = run * source.dtype.memory.getIntOrFloatBitWidth() / 8;
  if (runBytes < 32)
    emitRemark(here) << "T.im2col copies " << runBytes
                     << " bytes at a time, the hardware moves 32 at least; columns of the tile "
                        "and channels of the image should have a common divisor of that size";
  OpBuilder::InsertionGuard guard(builder);
  auto loop = [&](int64_t count) -> Value {
    auto made = builder.create<scf::ForOp>(here, number(0), number(count), number(1));
    builder.setInsertionPoint(made.getBody()->getTerminator());
    return made.getInductionVar();
  };
  Value row = loop(rows);
  Value position = add(times(rowStep, rows), row);
  Value batch = over(position, plane);
  Value y = over(rest(position, plane), width), x = rest(position, width);
  Value part = columns / run > 1 ? loop(columns / run) : number(0);
  Value first = times(part, run);
  Value column = add(times(columnStep, columns), first);
  Value channel = rest(column, number(*channels));
  Value place = over(column, number(*channels));
  Value kernelY = over(place, number(kernel)), kernelX = rest(place, number(kernel));
  // Columns behind the last are no part of the matrix: outside of the image.
  Value exists = fold<arith::CmpIOp>(arith::CmpIPredicate::slt, kernelY, number(kernel));
  batch = fold<arith::SelectOp>(exists, batch, valueOf(source.shape[0]));
  auto inImage = [&](Value out, Value inKernel) {
    return add(add(times(out, stride), times(inKernel, dilation)), number(-pad));
  };
  SmallVector<OpFoldResult> offsets{batch, inImage(y, kernelY), inImage(x, kernelX), channel};
  OpFoldResult one = builder.getIndexAttr(1), length = builder.getIndexAttr(run);
  Value window = builder.create<commonir::WindowOp>(
      here, source.memref, offsets, SmallVector<OpFoldResult>{one, one, one, length},
      ArrayRef<int64_t>{3});
  OpFoldResult top = add(valueOf(tile->offsets[0]), row);
  OpFoldResult left = add(valueOf(tile->offsets[1]), first);
  SmallVector<OpFoldResult> starts{top, left}, sizes{one, length}, strides{one, one};
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      {run}, cast<MemRefType>(dest.memref.getType()), starts, sizes, strides));
  Value target = builder.create<memref::SubViewOp>(here, type, dest.memref, starts, sizes, strides);
  builder.create<commonir::CopyOp>(here, TypeRange(), window, target);
  return success();
}
