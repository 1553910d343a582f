// SPDX-License-Identifier: GPL-3.0-or-later
// The plan parser: it gives a plan or faults, and a plan that it wrote is read again.
#include <dyno/plan.h>

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const dyno::ParsedPlan parsed = dyno::parsePlan(text, "fuzz");
    if (!parsed.plan && parsed.faults.empty())
        std::abort();
    if (parsed.plan && !dyno::parsePlan(dyno::writePlan(*parsed.plan), "again").plan)
        std::abort();
    return 0;
}
