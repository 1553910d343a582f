#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes hdr_v2.txt: histograms as HdrHistogram's Python port encodes them (V2, compressed, Base64), for tst_export.
# Made with: pip install hdrhistogram==0.10.8; python3 hdr_v2.py > hdr_v2.txt
# A line: the encoded histogram, then value=count of each value recorded. Values are such that our coarser buckets (64 in an
# octave) keep them in the same bucket of HdrHistogram.
from hdrh.histogram import HdrHistogram

CASES = [
    {1: 1},
    {0: 3, 1: 1, 63: 2, 127: 1},
    {100: 5, 255: 1},
    {1000: 10, 1500: 1},
    {49_900: 1000, 75_000: 200, 1_000_000: 3, 25_000_000: 1},
    {value: value % 7 + 1 for value in range(40, 128)},
    {2**33: 123456789, 2**41: 1},
]
for case in CASES:
    histogram = HdrHistogram(1, 2**42 - 1, 2)
    for value, count in case.items():
        histogram.record_value(value, count)
    print(histogram.encode().decode(), *(f"{v}={c}" for v, c in sorted(case.items())))
