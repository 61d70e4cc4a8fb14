# Flags that every layer shares.
#
# Determinism: no fast-math, and -ffp-contract=off so that fused operations appear only where the
# code asks for them. The instruction set is fixed at build time (x86-64-v3: AVX2 and FMA, every
# x86 processor since about 2013-2015); cli/main.cc checks it before anything else runs.

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

if(STANCE_SANITIZE)
  add_compile_options(-fsanitize=${STANCE_SANITIZE} -fno-sanitize-recover=all -O1 -g1
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STANCE_SANITIZE})
  if(STANCE_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences of Boost.Asio, which the sanitizer does not follow
  endif()
endif()

# stance_layer(NAME SOURCES ... DEPENDS ...): one static library per layer.
function(stance_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(stance_${name} STATIC ${ARG_SOURCES})
  add_library(stance::${name} ALIAS stance_${name})
  target_include_directories(
    stance_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(stance_${name} PUBLIC stance_arch Eigen3::Eigen ${ARG_DEPENDS}
                                       PRIVATE $<BUILD_INTERFACE:stance_flags> ${ARG_LINK})
  set_target_properties(stance_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY STANCE_LAYERS stance_${name})
endfunction()
