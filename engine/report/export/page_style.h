// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The look of every HTML page that Dynobench writes: light or dark as the reader's browser is set.
#pragma once

namespace dyno::report {

inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --text: #1b1f24; --second: #57606a; --line: #d0d7de; --back: #fff; --head: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --second: #9198a1; --line: #3d444d; --back: #12161c; --head: #1c2129; }
}
body {
  font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 60rem; margin: 2.5rem auto; padding: 0 1.25rem;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; }
table {
  border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums;
  display: block; overflow-x: auto;
}
th, td { border: 1px solid var(--line); padding: .3rem .7rem; text-align: left; vertical-align: top; }
th { background: var(--head); }
.r { text-align: right; }
pre {
  background: var(--head); border: 1px solid var(--line); border-radius: 6px;
  padding: .8rem 1rem; overflow-x: auto; font-size: .85rem;
}
code { font-family: ui-monospace, monospace; }
figure { margin: 1.2rem 0; }
img { max-width: 100%; height: auto; }
.chart { position: relative; }
.chart img { display: block; width: 100%; }
.chart svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.chart rect { fill: transparent; }
.chart rect:hover { fill: #80808033; }
li { margin: .15rem 0; }
)css";

} // namespace dyno::report
