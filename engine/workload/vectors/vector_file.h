// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Files of vectors in the forms that the field has: fvecs of the TEXMEX data sets, HDF5 of ann-benchmarks.
#pragma once

#include "workload/vectors/vector_source.h"

namespace dyno::vectors {

//! A part of an HDF5 file of ann-benchmarks: the vectors of its index ("train"), or those searched for ("test").
enum class VectorSet : std::uint8_t { Rows, Queries };

//! By the first bytes of a regular file: whether it has both sets. False too where it cannot be read.
[[nodiscard]] bool hasBothSets(const std::string& path);
//! Reads the whole set once and reports the first fault with its place. The format is told by the first bytes; fvecs
//! has one set, whichever is asked for. `goOn` false: ends with ErrorKind::Interrupted.
[[nodiscard]] Expected<VectorSourcePtr> openVectors(const std::string& path, VectorSet set,
                                                    const std::function<bool()>& goOn);

//! Numbers of a vector, at most: more is no file of vectors.
inline constexpr std::uint64_t kMostDimensions = 1'000'000;
inline constexpr std::size_t kReadVectorBytes = std::size_t(1) << 20; //!< while all are looked at
//! What a number may be for distances to be floats: finite, and up to 1e15.
[[nodiscard]] bool isUsable(float number);
//! Of a file; the place is workload.file.
[[nodiscard]] tl::unexpected<Error> vectorFileFault(std::string what, std::string remedy);

//! The set of an HDF5 file. Only what the file itself holds is read: no links to other files, and no plug-ins that
//! decompress.
[[nodiscard]] Expected<VectorSourcePtr> openHdf5(const std::string& path, VectorSet set,
                                                 const std::function<bool()>& goOn);

} // namespace dyno::vectors
