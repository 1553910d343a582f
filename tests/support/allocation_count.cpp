// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t t_allocations = 0;
}

std::uint64_t dyno::test::allocations()
{
    return t_allocations;
}

// Not inlined: GCC 12 otherwise pairs malloc() and operator delete across them and warns.
[[gnu::noinline]] void* operator new(std::size_t size)
{
    ++t_allocations;
    if (void* memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}
// This one too: the sanitizers bring their own, whose memory may not go to the operator delete below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    ++t_allocations;
    return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
