// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How runs and sessions ended, in words and colours. Translated.
#pragma once

#include "parts/labels.h"

#include <dyno/samples.h>

#include <QString>

namespace dyno {

[[nodiscard]] QString statusText(RunStatus status); //!< "done", "cut off"
[[nodiscard]] Tone statusTone(RunStatus status);
//! "18"; "8 of 18" where some are not complete.
[[nodiscard]] QString countsText(qint64 done, qint64 planned);
//! Of a session: "stopped, 8 of 18 runs".
[[nodiscard]] QString endingText(RunStatus status, qint64 done, qint64 planned);

} // namespace dyno
