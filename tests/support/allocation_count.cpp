// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocation_count.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {
thread_local std::uint64_t t_allocations = 0;
thread_local std::int64_t t_held = 0, t_most = 0; //!< bytes, since beginPeak()

void* counted(void* memory)
{
    ++t_allocations;
    t_held += std::int64_t(malloc_usable_size(memory));
    t_most = std::max(t_most, t_held);
    return memory;
}

void give(void* memory)
{
    t_held -= std::int64_t(malloc_usable_size(memory));
    std::free(memory);
}
} // namespace

std::uint64_t dyno::test::allocations()
{
    return t_allocations;
}

std::int64_t dyno::test::peakBytes()
{
    return t_most;
}

void dyno::test::beginPeak()
{
    t_held = t_most = 0;
}

// Not inlined: GCC 12 otherwise pairs malloc() and operator delete across them and warns.
[[gnu::noinline]] void* operator new(std::size_t size)
{
    if (void* memory = std::malloc(size ? size : 1))
        return counted(memory);
    throw std::bad_alloc();
}
// This one too: the sanitizers bring their own, whose memory may not go to the operator delete below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return counted(std::malloc(size ? size : 1));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    give(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    give(memory);
}
