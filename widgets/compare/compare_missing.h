// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What compared sessions lack: runs that are not complete, and runs of a later sitting. GUI thread.
#pragma once

#include "plots/comparison.h"

namespace dyno {

class AppContext;
class Banner;

//! Says it in the banner, with a way to run what is missing; hides the banner when nothing is.
void tellMissing(const Comparison& comparison, AppContext& context, Banner& banner);

} // namespace dyno
