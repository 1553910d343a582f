// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counts what a program allocates with operator new. Replaces the global operators: include it in one file of a test.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace dyno::test {

// Sanitizers bring an allocator of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
#endif
inline std::atomic<std::size_t> g_allocations {0};

} // namespace dyno::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size)
{
    ++dyno::test::g_allocations;
    if (void* memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
#endif
