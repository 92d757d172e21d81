# The few build rules that every layer shares.

# MLIR's headers, parsed once for all layers.
add_library(TileKilnHeaders OBJECT ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
target_precompile_headers(TileKilnHeaders PRIVATE ${PROJECT_SOURCE_DIR}/cmake/headers.h)

# tilekiln_add_library(NAME source... [LINK library...]): one layer.
# Links MLIR's and LLVM's shared libraries and nothing static beside them: two copies of a
# pass or a type id in one process do not work.
function(tilekiln_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM TileKilnHeaders)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  add_dependencies(${name} TileKilnGenerated)
endfunction()

# tilekiln_tablegen(NAME.td): what a dialect file generates goes beside it in the build tree.
add_custom_target(TileKilnGenerated)
function(tilekiln_tablegen target source)
  set(LLVM_TARGET_DEFINITIONS ${source})
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs output generator)
    string(REPLACE "," ";" generator "${generator}")
    mlir_tablegen(${output} ${generator})
  endwhile()
  add_public_tablegen_target(${target})
  add_dependencies(TileKilnGenerated ${target})
endfunction()
