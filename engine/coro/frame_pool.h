// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Recycles coroutine frames per thread, so that a transaction allocates nothing after the first one.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace dyno::coro {

//! Free lists by size class of 64 bytes up to 2 KiB, one set per thread; larger frames go to the heap. A frame is
//! released on the thread that made it (a Task never moves between threads).
class FramePool
{
public:
    static void* allocate(std::size_t size)
    {
        const std::size_t slot = slotOf(size);
        if (slot >= kSlots)
            return ::operator new(size);
        Node*& head = t_heads[slot];
        if (!head) [[unlikely]]
            return anew(slot);
        Node* node = head;
        head = node->next;
        return node;
    }
    static void release(void* frame, std::size_t size) noexcept
    {
        const std::size_t slot = slotOf(size);
        if (slot >= kSlots) {
            ::operator delete(frame);
            return;
        }
        Node* node = static_cast<Node*>(frame);
        node->next = t_heads[slot];
        t_heads[slot] = node;
    }

private:
    struct Node
    {
        Node* next;
    };
    static constexpr std::size_t kStep = 64;
    static constexpr std::size_t kSlots = 32;
    static constexpr std::size_t slotOf(std::size_t size) { return (size + kStep - 1) / kStep - 1; }
    static void* anew(std::size_t slot)
    {
        static thread_local Cleaner cleaner;
        cleaner.used = true; // a thread_local that is never named is never made
        return ::operator new((slot + 1) * kStep);
    }
    //! Frees a thread's lists when it ends. Apart from them: a thread_local with a destructor asks at each use whether
    //! it is made.
    struct Cleaner
    {
        bool used = false;
        ~Cleaner()
        {
            for (Node*& head : t_heads) {
                while (head) {
                    Node* next = head->next;
                    ::operator delete(head);
                    head = next;
                }
            }
        }
    };
    static inline constinit thread_local std::array<Node*, kSlots> t_heads{};
};

} // namespace dyno::coro
