# Flags that every layer shares.
#
# Determinism: no fast-math, and -ffp-contract=off so that fused operations appear only where the
# code asks for them. The instruction set is fixed at build time (x86-64-v3: AVX2 and FMA, every
# x86 processor since about 2013-2015); kernel/processor.cc checks it before anything else runs.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")

add_library(stance_flags INTERFACE)
target_compile_options(
  stance_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-psabi
            -ffp-contract=off -fno-math-errno
            # g++ 12 sees overlaps in plain string sums (its bug 105651)
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# Callers must agree on vector widths with the library: this one is passed on.
add_library(stance_arch INTERFACE)
target_compile_features(stance_arch INTERFACE cxx_std_20)
if(STANCE_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(stance_arch INTERFACE -march=${STANCE_ARCH} -mtune=generic)
  # Copies of 32-byte vectors in one piece: in two halves, as g++ 12 does by default, the next
  # load of the whole waits for both stores to retire (kinematics 0.74 -> 0.41 us).
  target_compile_options(
    stance_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-mmove-max=256> $<$<CXX_COMPILER_ID:GNU>:-mstore-max=256>)
  # Structs of a few hundred bytes are cleared by vector stores: "rep stos", which g++ 12 takes for
  # a processor it does not know, needs some thirty cycles to get going.
  set(clears vector_loop:1024:noalign,libcall:-1:noalign)
  target_compile_options(stance_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-mmemset-strategy=${clears}>)
endif()

# Options of the layers around the physics.
set(STANCE_LESS)      # what runs beside the steps
set(STANCE_LEAST)     # what runs once
set(STANCE_OF_TESTS)  # tests
if(STANCE_SANITIZE)
  # Boost's sockets alone took clang 82 s at -O1.
  set(STANCE_LESS -O0)
  set(STANCE_LEAST -O0)
  set(STANCE_OF_TESTS -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(STANCE_LESS -O2)
  set(STANCE_LEAST -O1)
  set(STANCE_OF_TESTS -O1)
endif()

if(STANCE_SANITIZE)
  add_compile_options(-fsanitize=${STANCE_SANITIZE} -fno-sanitize-recover=all -O1 -g1
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STANCE_SANITIZE})
  if(STANCE_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences of Boost.Asio, which the sanitizer does not follow
  endif()
endif()

# Time to build. What is parsed again and again is parsed once (precompiled headers: only those of
# others, never our own), and what runs once per scene, frame or command is optimised less than
# what runs in each step. A file that forgets to include something is found by tools/check_includes.py.
set(STANCE_HEADERS_OF_ALL <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span>
                          <string> <string_view> <utility> <vector> <Eigen/Core>)

# stance_headers(NAME [FOR_PROGRAMS] HEADERS ... [OPTIONS ...] [LINK ...]): precompiled headers that targets with the same
# options share, by target_precompile_headers(TARGET REUSE_FROM stance_headers_NAME).
function(stance_headers name)
  cmake_parse_arguments(ARG "FOR_PROGRAMS" "" "HEADERS;OPTIONS;LINK" ${ARGN})
  if(NOT STANCE_PRECOMPILE AND NOT ARG_FOR_PROGRAMS)
    return()
  endif()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers_${name}.cc CONTENT "")
  add_library(stance_headers_${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers_${name}.cc)
  target_link_libraries(stance_headers_${name} PRIVATE stance_flags stance_arch Eigen3::Eigen ${ARG_LINK})
  target_compile_options(stance_headers_${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(stance_headers_${name} PRIVATE ${STANCE_HEADERS_OF_ALL} ${ARG_HEADERS})
  if(NOT ARG_FOR_PROGRAMS)
    set_target_properties(stance_headers_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# stance_use_headers(TARGET NAME)
function(stance_use_headers target name)
  if(TARGET stance_headers_${name})
    target_precompile_headers(${target} REUSE_FROM stance_headers_${name})
    # g++ 12 sees overruns in the strings of its own library, and says so once they come precompiled
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
  endif()
endfunction()

# stance_physics_first(TARGET): of functions that several layers compile, a program takes the copy that
# it meets first. Let it be the one of the physics, which is optimised most.
function(stance_physics_first target)
  foreach(layer kernel model solver dynamics collision contact control sensing sim)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:stance_${layer}>)
  endforeach()
endfunction()

# stance_layer(NAME SOURCES ... DEPENDS ... [HEADERS NAME] [OPTIONS ...]): one static library per layer.
function(stance_layer name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;DEPENDS;LINK;OPTIONS" ${ARGN})
  add_library(stance_${name} STATIC ${ARG_SOURCES})
  add_library(stance::${name} ALIAS stance_${name})
  target_include_directories(
    stance_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_LIBDIR}/stance/include>)
  target_link_libraries(stance_${name} PUBLIC stance_arch Eigen3::Eigen ${ARG_DEPENDS}
                                       PRIVATE $<BUILD_INTERFACE:stance_flags> ${ARG_LINK})
  target_compile_options(stance_${name} PRIVATE ${ARG_OPTIONS})
  set_target_properties(stance_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  if(ARG_HEADERS)
    stance_use_headers(stance_${name} ${ARG_HEADERS})
  endif()
  set_property(GLOBAL APPEND PROPERTY STANCE_LAYERS stance_${name})
endfunction()
