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
        Node*& head = t_lists.heads[slot];
        if (!head)
            return ::operator new((slot + 1) * kStep);
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
        node->next = t_lists.heads[slot];
        t_lists.heads[slot] = node;
    }

private:
    struct Node
    {
        Node* next;
    };
    static constexpr std::size_t kStep = 64;
    static constexpr std::size_t kSlots = 32;
    static constexpr std::size_t slotOf(std::size_t size) { return (size + kStep - 1) / kStep - 1; }
    struct Lists
    {
        std::array<Node*, kSlots> heads; // value-initialised below
        ~Lists()
        {
            for (Node* node : heads) {
                while (node) {
                    Node* next = node->next;
                    ::operator delete(node);
                    node = next;
                }
            }
        }
    };
    static inline thread_local Lists t_lists {};
};

} // namespace dyno::coro
