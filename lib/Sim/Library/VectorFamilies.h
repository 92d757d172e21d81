//===- VectorFamilies.h - The parts of the vector library's table ---------===//
//
// One function per family; addVectorRows calls them all.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_LIB_SIM_LIBRARY_VECTORFAMILIES_H
#define TILEKILN_LIB_SIM_LIBRARY_VECTORFAMILIES_H

namespace tilekiln::sim {

class LibraryTable;

void addVectorArithmeticRows(LibraryTable &table);
void addVectorPowerRows(LibraryTable &table);
void addVectorCompareRows(LibraryTable &table);
void addVectorSelectRows(LibraryTable &table);
void addVectorCastRows(LibraryTable &table);
void addVectorReduceRows(LibraryTable &table);
void addVectorReduceIndexRows(LibraryTable &table);
void addVectorBroadcastRows(LibraryTable &table);
void addVectorTransposeRows(LibraryTable &table);
void addVectorSequenceRows(LibraryTable &table);
void addVectorGatherRows(LibraryTable &table);
void addVectorSortRows(LibraryTable &table);
void addDebugRows(LibraryTable &table);
void addLockRows(LibraryTable &table);

} // namespace tilekiln::sim

#endif // TILEKILN_LIB_SIM_LIBRARY_VECTORFAMILIES_H
