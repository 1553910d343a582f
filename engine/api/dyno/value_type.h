// SPDX-License-Identifier: GPL-3.0-or-later
// For the large structs of the engine's interface: how they are made, copied, moved and destroyed is compiled once, in
// engine/base/value_types.cpp, instead of in each source that does so.
#pragma once

//! First in a struct. It is no aggregate then: its members are set one by one.
#define DYNO_VALUE_TYPE(Type)                                                                                          \
    Type();                                                                                                            \
    Type(const Type&);                                                                                                 \
    Type(Type&&) noexcept;                                                                                             \
    Type& operator=(const Type&);                                                                                      \
    Type& operator=(Type&&) noexcept;                                                                                  \
    ~Type()

//! The definitions, in the namespace of the struct.
#define DYNO_DEFINE_VALUE_TYPE(Type)                                                                                   \
    Type::Type() = default;                                                                                            \
    Type::Type(const Type&) = default;                                                                                 \
    Type::Type(Type&&) noexcept = default;                                                                             \
    Type& Type::operator=(const Type&) = default;                                                                      \
    Type& Type::operator=(Type&&) noexcept = default;                                                                  \
    Type::~Type() = default
