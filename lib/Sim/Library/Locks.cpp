//===- Locks.cpp - Rows of locks between blocks ---------------------------===//
//
// A lock makes blocks pass one after the other, by spinning on a number in global
// memory. The simulator runs blocks without that order, so a kernel that needs it
// is told so.
//
//===----------------------------------------------------------------------===//
#include "VectorFamilies.h"
#include "tilekiln/Sim/Core/Library.h"

using namespace tilekiln::sim;

static void issueLock(const Signature &signature, const CallArguments &,
                      Issue &issue) {
  issue.fault(FaultKind::Invalid,
              signature.name + " orders blocks by a number in global memory, which "
                               "is not simulated; use atomic updates");
}

static void issueUnlock(const Signature &, const CallArguments &, Issue &issue) {
  issue.barrier(Pipe::All);
}

void tilekiln::sim::addLockRows(LibraryTable &table) {
  table.add({
      {"sync_block_lock[_with_subblock]", "b", issueLock},
      {"sync_block_unlock[_with_subblock]", "b", issueUnlock},
      {"free_lock_var[_with_subblock]", "b", issueUnlock},
  });
}
