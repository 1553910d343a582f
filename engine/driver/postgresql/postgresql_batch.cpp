// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_batch.h"

namespace dyno::postgresql {

void RequestQueue::clear()
{
    m_entries.clear();
    m_params.clear();
    m_offsets.clear();
    m_text.clear();
}

void RequestQueue::add(const Request& request)
{
    m_entries.push_back(
        {request.kind, request.statement, m_text.size(), request.text.size(), m_params.size(), request.params.size()});
    m_text += request.text;
    for (const Param& param : request.params) {
        m_offsets.push_back(m_text.size());
        m_params.push_back(param);
        if (param.type == Param::Type::Text)
            m_text += param.text;
    }
}

Request RequestQueue::at(std::size_t index)
{
    const Entry& entry = m_entries[index];
    for (std::size_t i = entry.firstParam; i < entry.firstParam + entry.params; ++i) {
        // m_text may have moved since it was copied.
        if (m_params[i].type == Param::Type::Text)
            m_params[i].text = std::string_view(m_text).substr(m_offsets[i], m_params[i].text.size());
    }
    return {.kind = entry.kind,
            .statement = entry.statement,
            .params = std::span(m_params).subspan(entry.firstParam, entry.params),
            .text = std::string_view(m_text).substr(entry.text, entry.textSize)};
}

std::size_t RequestQueue::pieceEnd(std::size_t first, bool inTransaction) const
{
    for (std::size_t i = first; i < m_entries.size(); ++i) {
        const RequestKind kind = m_entries[i].kind;
        inTransaction = inTransaction || kind == RequestKind::Begin;
        if (!inTransaction || kind == RequestKind::Commit || kind == RequestKind::Rollback)
            return i + 1;
    }
    return m_entries.size();
}

} // namespace dyno::postgresql
