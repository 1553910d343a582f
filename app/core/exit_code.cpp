// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exit_code.h"

namespace dyno {

int exitCodeOf(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::BadInput:
    case ErrorKind::Refused: // it answers: what was asked for, or what is there, has to change
        return kBadInput;
    case ErrorKind::Unreachable:
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
