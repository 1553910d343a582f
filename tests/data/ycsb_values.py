#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Made tests/data/ycsb_values.txt: python3 ycsb_values.py > ycsb_values.txt
# Lines of key, field, length and the value of YCSB's CoreWorkload.buildDeterministicValue(): "key:field", then while it is
# too short ":" and Java's String.hashCode() of all so far, cut to the length. The hash is the sum s[i] * 31^(n-1-i) of its
# definition, as a signed number of 32 bits, checked here against values that are well known.


def java_hash(text):
    value = sum(ord(c) * pow(31, len(text) - 1 - i) for i, c in enumerate(text)) % 2**32
    return value - 2**32 if value >= 2**31 else value


assert java_hash("") == 0
assert java_hash("hello") == 99162322
assert java_hash("polygenelubricants") == -(2**31)

for key in ("user0", "user6284781860667377211", "user8517097267634966620", "user000000000042"):
    for field in ("field0", "field9", "field10", "field499"):
        for length in (1, 5, 12, 23, 24, 33, 40, 100, 1000):
            value = f"{key}:{field}"
            while len(value) < length:
                value += ":"
                value += str(java_hash(value))
            print(key, field, length, value[:length])
