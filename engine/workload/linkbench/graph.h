// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! LinkBench's social graph: how many links a node has, which nodes are hit, what nodes and links hold.
#pragma once

#include "workload/scatter.h"
#include "workload/zipf.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno::linkbench {

constexpr int kLinkTypes = 2;
constexpr std::int64_t kFirstLinkType = 123456789;
constexpr std::int64_t kNodeType = 2048;

//! Out-degrees of the nodes 1 … n, after the published distribution (Distribution.dat: percentages of nodes with at
//! most so many links, up to 961 963). It is taken as it is up to 50 links and at 30 degrees above; between those the
//! share of nodes with more links falls by a power of the degree. Nodes are ranked by degree, and the rank says
//! everything; which node has which rank is scattered, the same in every run. Immutable; any thread.
class Degrees
{
public:
    //! `compat`: as LinkBench makes them, where nodes of 2, 3 or 4 links in all get 3, 4 or 6.
    Degrees(std::int64_t nodes, bool compat);

    struct Link
    {
        std::int64_t id1 = 0;
        int type = 0;            //!< 0 … kLinkTypes − 1
        std::int64_t number = 0; //!< among those of id1 and type, from 0
    };
    struct Count
    {
        std::int64_t id1 = 0;
        int type = 0;
        std::int64_t links = 0;
    };
    //! Links that the load makes, and pairs of node and type that have any.
    [[nodiscard]] std::int64_t links() const { return m_links; }
    [[nodiscard]] std::int64_t counts() const { return m_counts; }
    [[nodiscard]] Link link(std::int64_t index) const;                     //!< 0 … links() − 1
    [[nodiscard]] Count count(std::int64_t index) const;                   //!< 0 … counts() − 1
    [[nodiscard]] std::int64_t linksOf(std::int64_t node, int type) const; //!< 0 for nodes that the load did not make
    //! The node of a rank; rank 0 has the most links.
    [[nodiscard]] std::int64_t nodeOf(std::int64_t rank) const { return m_scatter.at(rank) + 1; }
    [[nodiscard]] bool isOf(std::int64_t nodes, bool compat) const { return nodes == m_nodes && compat == m_compat; }

private:
    //! Nodes of the same degree, the highest first.
    struct Group
    {
        std::int64_t degree = 0;
        std::int64_t rank = 0;  //!< of the first
        std::int64_t link = 0;  //!< index of its first link
        std::int64_t count = 0; //!< index of its first count
    };
    [[nodiscard]] std::int64_t ofType(std::int64_t degree, int type) const;
    [[nodiscard]] std::int64_t ofAllTypes(std::int64_t degree) const;
    [[nodiscard]] std::int64_t typesOf(std::int64_t degree) const;

    bool m_compat;
    std::int64_t m_nodes, m_links = 0, m_counts = 0;
    Scatter m_scatter;
    std::vector<Group> m_groups;
};

//! The same one for the same graph, as long as it is among the last ones asked for: a plan is checked at each of its
//! points. Any thread.
[[nodiscard]] std::shared_ptr<const Degrees> degreesOf(std::int64_t nodes, bool compat);

//! The links and counts of a graph by ascending id1, then type and number, with their places in that order. Once made
//! it is immutable; any thread.
class IdOrder
{
public:
    explicit IdOrder(const Degrees& degrees)
        : m_degrees(degrees)
    {
    }
    //! Looks at every node, and asks goOn() some hundred times a second; false: it said no, and nothing is made.
    [[nodiscard]] bool make(std::int64_t nodes, const std::function<bool()>& goOn);

    //! Walks over the links from one on; as often as there are.
    class Links
    {
    public:
        Links(const IdOrder& order, std::int64_t index); //!< 0 … links() − 1
        [[nodiscard]] Degrees::Link next();

    private:
        const Degrees& m_degrees;
        Degrees::Link m_at; //!< the next one, or one behind the last of its type
    };
    class Counts
    {
    public:
        Counts(const IdOrder& order, std::int64_t index); //!< 0 … counts() − 1
        [[nodiscard]] Degrees::Count next();

    private:
        const Degrees& m_degrees;
        std::int64_t m_id1 = 1;
        int m_type = 0;
    };

private:
    //! What comes before the first of kStep nodes.
    struct Start
    {
        std::int64_t links = 0, counts = 0;
    };
    static constexpr std::int64_t kStep = 256;
    const Degrees& m_degrees;
    std::vector<Start> m_starts;
};

//! Which node an operation hits: a rank by Zipf, and with probability `correlated` the node that has so many links by
//! rank, otherwise one that has nothing to do with its links. Immutable; any thread.
class NodeChooser
{
public:
    //! shape 0: uniform.
    NodeChooser(const Degrees& degrees, std::int64_t nodes, double shape, double correlated, std::uint64_t key);
    [[nodiscard]] std::int64_t draw(Random& random) const;

private:
    const Degrees& m_degrees;
    std::int64_t m_nodes;
    bool m_uniform;
    double m_correlated;
    Zipf m_zipf;
    Zipf::Items m_items;
    Scatter m_scatter;
};

//! The content of nodes and links: chunks of up to 128 bytes, each with probability `unique` random, otherwise a copy
//! out of a motif, so that it compresses as theirs does. Lengths are lognormal. Immutable; any thread.
class Payload
{
public:
    Payload(double median, std::size_t longest, char low, char high, double unique);
    [[nodiscard]] std::size_t longest() const { return m_longest; }
    [[nodiscard]] std::size_t drawLength(Random& random) const; //!< 1 … longest()
    char* write(char* out, std::size_t length, Random& random) const;

private:
    double m_median;
    std::size_t m_longest;
    char m_low;
    unsigned m_span;
    double m_unique;
    std::array<char, 512> m_motif;
};

} // namespace dyno::linkbench
