//===- Rows.h - The parts of the library table ----------------------------===//
//
// Each adds the rows of one family of library functions; LibraryTable::get()
// calls them all. How to write a row is said in Sim/Core/Library.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILEKILN_SIM_LIBRARY_ROWS_H
#define TILEKILN_SIM_LIBRARY_ROWS_H

namespace tilekiln::sim {

class LibraryTable;

/// nd2nz, set_l1_2d, load_gm_to_cbuf.
void addCubeLoadRows(LibraryTable &table);
/// mma_tile.
void addMmaRows(LibraryTable &table);
/// fixpipe_nz2nd.
void addFixpipeRows(LibraryTable &table);
/// load_gm_to_ubuf, store_ubuf_to_gm, copy_ubuf_to_ubuf.
void addDmaRows(LibraryTable &table);
/// Everything else that vector cores run, prints, asserts and locks included.
void addVectorRows(LibraryTable &table);

} // namespace tilekiln::sim

#endif // TILEKILN_SIM_LIBRARY_ROWS_H
