#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Made tests/data/ycsb_keys.txt: python3 ycsb_keys.py > ycsb_keys.txt
# FNV-1a with 64 bits, checked here against vectors that its authors publish (draft-eastlake-fnv), then over the eight
# octets of a record's number, lowest first, and made positive as Java's Math.abs makes a long positive.


def fnv1a(octets):
    value = 0xCBF29CE484222325
    for octet in octets:
        value = ((value ^ octet) * 1099511628211) % 2**64
    return value


assert fnv1a(b"") == 0xCBF29CE484222325
assert fnv1a(b"a") == 0xAF63DC4C8601EC8C
assert fnv1a(b"foobar") == 0x85944171F73967E8

for number in (0, 1, 2, 3, 9, 10, 99, 100, 255, 256, 999, 1000, 65535, 65536, 999999, 1000000, 2**31 - 1, 2**31, 2**32,
               10**10 - 1, 10**10, 10**12):
    value = fnv1a(number.to_bytes(8, "little"))
    signed = value - 2**64 if value >= 2**63 else value
    print(number, f"user{abs(signed)}")
