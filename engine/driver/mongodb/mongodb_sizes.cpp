// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/mongodb/mongodb_sizes.h"

namespace dyno {

namespace {

//! bsonspec.org: a field is its type, its name with an end, and its value; a text has a length and an end.
class DocumentSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        constexpr double kDocument = 5, kTypeAndEnd = 2, kText = 5, kEntry = 12;
        double bytes = kDocument;
        for (const ColumnFacts& column : facts.columns)
            bytes += kTypeAndEnd + double(column.name.size()) + (column.text ? kText + column.used : column.width);
        std::vector<std::string> keys{facts.key};
        for (const IndexFacts& index : facts.indexes)
            keys.push_back(index.columns);
        for (const std::string& key : keys) {
            bytes += kEntry;
            for (const std::size_t column : facts.positions(key))
                bytes += facts.columns[column].used;
        }
        return bytes;
    }
};

} // namespace

const SizeModel& documentSizes()
{
    static const DocumentSizes sizes;
    return sizes;
}

} // namespace dyno
