// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_file.h"

#include <fmt/format.h>

namespace dyno::vectors {

Expected<VectorSourcePtr> openHdf5(const std::string& path, VectorSet /*set*/, const std::function<bool()>& /*goOn*/)
{
    return vectorFileFault(fmt::format("{} is an HDF5 file, and this build reads none", path),
                           "use a file of the format fvecs, or build with HDF5");
}

} // namespace dyno::vectors
