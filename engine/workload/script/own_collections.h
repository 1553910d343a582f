// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The collections that the head of a .workload file describes.
#pragma once

#include "workload/script/workload_head.h"
#include "workload/workload.h"

namespace dyno::script {

//! As bindOwnTables(), for a target that keeps documents: the columns of a table are the fields of its documents.
[[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>> bindOwnCollections(Head head, const Settings& params,
                                                                                   const Settings& tableKnobs);

} // namespace dyno::script
