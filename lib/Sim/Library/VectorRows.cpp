//===- VectorRows.cpp - The vector library's table ------------------------===//
//
// All families in one call.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "tilekiln/Sim/Library/Rows.h"

void tilekiln::sim::addVectorRows(LibraryTable &table) {
  addVectorArithmeticRows(table);
  addVectorCompareRows(table);
  addVectorSelectRows(table);
  addVectorCastRows(table);
  addVectorTransposeRows(table);
  addVectorReduceRows(table);
  addVectorBroadcastRows(table);
  addVectorSequenceRows(table);
  addVectorGatherRows(table);
  addVectorSortRows(table);
  addVectorPowerRows(table);
  addDebugRows(table);
  addLockRows(table);
}
