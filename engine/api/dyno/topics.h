// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What settings are about: Knob::topic and Difference::topic, in the order they are listed. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace dyno {

struct SettingTopic
{
    std::string_view id;    //!< as catalogue files write it
    std::string_view label; //!< heading of a list
};
inline constexpr std::array<SettingTopic, 3> kSettingTopics = {
    {{"durability", "Durability"}, {"logging", "Logging"}, {"memory", "Memory"}}};

//! Its place in kSettingTopics; for settings without a topic the place after the last.
[[nodiscard]] constexpr std::size_t topicPlace(std::string_view id)
{
    return std::size_t(std::ranges::find(kSettingTopics, id, &SettingTopic::id) - kSettingTopics.begin());
}

} // namespace dyno
