// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds what the rules of counters tell (dyno/event_rules.h) in the counters themselves.
#pragma once

#include <dyno/event_rules.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Something that lasted from one answer to another.
struct CounterEvent
{
    std::int64_t fromNs = 0, toNs = 0;
    std::string sentence = {};         //!< EventRule::sentence
    std::optional<double> amount = {}; //!< of EventRule::unit, where it has one
    std::string unit = {};
    std::size_t times = 0; //!< above 0: what is more than single events, it happened in as many answers…
    std::size_t of = 0;    //!< …of these
};

//! Answers that follow each other and in which the same happens are one event, told when it is over. A rule's amount
//! that is none of its counts follows them: it goes on after them, with pauses (a checkpoint writes its pages when it
//! likes), and the next growth of a count is the next event. What happens in
//! most answers, or too often, is told once at the end, with how often. One thread at a time.
class CounterEvents
{
public:
    static constexpr std::size_t kSingleEvents = 5;          //!< told in any case
    static constexpr std::size_t kMostOfARule = 30;          //!< told one by one, of a long run
    static constexpr std::int64_t kPauseNs = 20'000'000'000; //!< of an amount that goes on, at most

    //! `names`: what add() gives a value for.
    CounterEvents(std::vector<EventRule> rules, const std::vector<std::string>& names);
    //! Raw values, not a number where one is not known.
    void add(std::int64_t atNs, const std::vector<double>& values);
    //! What comes next may be of another process; what lasts is over.
    void reset();
    //! What is over by now, in order.
    [[nodiscard]] std::vector<CounterEvent> take();
    //! Nothing comes any more: also what lasts, and what was only counted.
    [[nodiscard]] std::vector<CounterEvent> takeLast();

private:
    static constexpr std::size_t kNowhere = std::size_t(-1);
    struct Watched
    {
        EventRule rule;
        std::vector<std::size_t> counts;
        std::size_t amount = kNowhere, level = kNowhere, limit = kNowhere;
        bool follows = false; //!< the amount goes on after the counts
        // Of what lasts now.
        bool lasts = false, counted = false; //!< …and a count went up in the last answer
        std::int64_t fromNs = 0, toNs = 0;
        double grew = 0;
        // Of all so far.
        std::size_t answers = 0, active = 0, told = 0, untold = 0;
        std::int64_t firstNs = 0, lastNs = 0; //!< of those that were not told
    };
    void look(Watched& one, std::int64_t atNs, const std::vector<double>& values);
    [[nodiscard]] bool happens(const Watched& one, const std::vector<double>& values) const;
    [[nodiscard]] double growth(std::size_t count, const std::vector<double>& values) const;
    void end(Watched& one);

    std::vector<Watched> m_watched;
    std::vector<double> m_values; //!< of the last answer; empty: none
    std::int64_t m_atNs = 0;
    std::vector<CounterEvent> m_over;
};

} // namespace dyno
