// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/dyno_file.h"
int main() { return 0; }
