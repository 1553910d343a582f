// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exit_code.h"

namespace dyno {

int exitCodeOf(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::BadInput:
        return kBadInput;
    case ErrorKind::Unreachable:
    case ErrorKind::Refused:
        return kUnreachable;
    case ErrorKind::Interrupted:
        return kInterrupted;
    case ErrorKind::Failed:
    case ErrorKind::Storage:
        break;
    }
    return kFailed;
}

} // namespace dyno
