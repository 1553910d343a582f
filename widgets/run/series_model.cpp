// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/series_model.h"

#include "format.h"
#include "qt_text.h"
#include "run/live_run_model.h"
#include "run/measure_plot.h"

#include <QMimeData>

#include <algorithm>
#include <cmath>
#include <map>

namespace dyno {

namespace {

constexpr std::size_t kFewestAlike = 3; //!< names that begin alike make a group,
constexpr std::size_t kMostAlike = 60;  //!< and more than that several

bool endsWord(QChar c)
{
    return c == u'_' || c == u'.' || c == u' ' || c == u'/' || c == u':';
}

//! The first words of a name with what ends them; the whole name where there are no more.
QString firstWords(const QString& name, int words)
{
    for (qsizetype i = 0; i + 1 < name.size(); ++i) {
        if (endsWord(name[i]) && --words == 0)
            return name.left(i + 1);
    }
    return name;
}

//! Without regard to case.
bool namesInOrder(const QString& a, const QString& b)
{
    return QString::compare(a, b, Qt::CaseInsensitive) < 0;
}

} // namespace

SeriesModel::SeriesModel(const LiveRunModel& model, QObject* parent)
    : QAbstractItemModel(parent)
    , m_model(model)
    , m_measures(std::make_shared<const std::vector<RunMeasure>>())
    , m_nodes(1)
{
}

bool SeriesModel::reload()
{
    auto measures = std::make_shared<const std::vector<RunMeasure>>(m_model.measures());
    // Moving through a replay begins the run again: what is opened and selected stays.
    if (!measures->empty() && std::ranges::equal(*measures, *m_measures, {}, &RunMeasure::id, &RunMeasure::id)) {
        m_measures = std::move(measures);
        return false;
    }
    beginResetModel();
    m_measures = std::move(measures);
    build();
    endResetModel();
    return true;
}

void SeriesModel::setFilter(const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words == m_words)
        return;
    beginResetModel();
    m_words = words;
    build();
    endResetModel();
}

QString SeriesModel::sourceOf(const RunMeasure& measure) const
{
    if (measure.operation >= 0)
        return tr("Statements");
    const CounterInfo* counter = counterOf(measure);
    if (!counter)
        return tr("Load generator");
    const std::string& source = counter->source;
    if (source == "server")
        return tr("Server");
    if (source == kProcessSource)
        return tr("Server process");
    if (source == kHostSource)
        return tr("Host");
    return qtText(source);
}

QString SeriesModel::nameOf(const RunMeasure& measure) const
{
    const CounterInfo* counter = counterOf(measure);
    return counter ? qtText(counter->name) : measure.name;
}

//! Until reload() the run may be another one.
const CounterInfo* SeriesModel::counterOf(const RunMeasure& measure) const
{
    const RunHeader* run = m_model.run();
    return measure.counter >= 0 && run && std::size_t(measure.counter) < run->counters.size()
               ? &run->counters[std::size_t(measure.counter)]
               : nullptr;
}

void SeriesModel::build()
{
    m_nodes.assign(1, Node());
    m_found = 0;
    std::vector<std::pair<QString, std::vector<Named>>> sources; // in the order in which they come
    for (std::size_t i = 0; i < m_measures->size(); ++i) {
        const RunMeasure& measure = (*m_measures)[i];
        const QString source = sourceOf(measure), name = nameOf(measure);
        const auto has = [&](const QString& word) {
            return name.contains(word, Qt::CaseInsensitive) || measure.title.contains(word, Qt::CaseInsensitive) ||
                   source.contains(word, Qt::CaseInsensitive) || measure.unit.contains(word, Qt::CaseInsensitive);
        };
        if (!std::ranges::all_of(m_words, has))
            continue;
        auto of = std::ranges::find(sources, source, &std::pair<QString, std::vector<Named>>::first);
        if (of == sources.end())
            of = sources.insert(sources.end(), {source, {}});
        of->second.push_back({name, int(i)});
        ++m_found;
    }
    for (const auto& [source, series] : sources)
        addSource(source, series);
}

int SeriesModel::addNode(int parent, const QString& text, int measure)
{
    const int at = int(m_nodes.size());
    Node one;
    one.text = text;
    one.parent = parent;
    one.row = int(m_nodes[std::size_t(parent)].children.size());
    one.measure = measure;
    m_nodes.push_back(std::move(one));
    m_nodes[std::size_t(parent)].children.push_back(at);
    return at;
}

void SeriesModel::addLeaves(int parent, const std::vector<Named>& series, qsizetype cut)
{
    for (const Named& one : series)
        addNode(parent, one.name.mid(cut), one.measure);
}

void SeriesModel::addSource(const QString& source, const std::vector<Named>& series)
{
    using Groups = std::map<QString, std::vector<Named>, decltype(&namesInOrder)>;
    const auto split = [](const std::vector<Named>& all, int words) {
        Groups groups(&namesInOrder);
        for (const Named& one : all)
            groups[firstWords(one.name, words)].push_back(one);
        return groups;
    };
    Groups groups(&namesInOrder);
    std::vector<Named> alone;
    const auto take = [&](const QString& start, std::vector<Named>& alike) {
        if (alike.size() < kFewestAlike || start.isEmpty() || !endsWord(start.back()))
            return false;
        std::ranges::move(alike, std::back_inserter(groups[start]));
        return true;
    };
    for (auto& [start, alike] : split(series, 1)) {
        if (alike.size() <= kMostAlike) {
            std::vector<Named> few = alike;
            if (!take(start, few))
                std::ranges::move(few, std::back_inserter(alone));
            continue;
        }
        std::vector<Named> rest;
        for (const auto& [longer, fewer] : split(alike, 2)) {
            std::vector<Named> few = fewer;
            if (!take(longer, few))
                std::ranges::move(few, std::back_inserter(rest));
        }
        if (!take(start, rest))
            std::ranges::move(rest, std::back_inserter(alone));
    }
    const auto byName = [](const Named& a, const Named& b) { return namesInOrder(a.name, b.name); };
    const bool statements = !series.empty() && (*m_measures)[std::size_t(series.front().measure)].operation >= 0;
    const int top =
        addNode(0, tr("%1 (%2)", "source, how many series").arg(source, format::count(qint64(series.size()))), -1);
    for (auto& [start, alike] : groups) {
        std::ranges::sort(alike, byName);
        // Where they have more in common than the first words.
        QString common = alike.front().name;
        for (const Named& one : alike) {
            while (!one.name.startsWith(common))
                common.chop(1);
        }
        while (!common.isEmpty() && !endsWord(common.back()))
            common.chop(1);
        const int group = addNode(
            top, tr("%1… (%2)", "how names begin, how many series").arg(common, format::count(qint64(alike.size()))),
            -1);
        addLeaves(group, alike, common.size());
    }
    if (!statements && (*m_measures)[std::size_t(series.front().measure)].counter >= 0)
        std::ranges::sort(alone, byName);
    addLeaves(top, alone, 0);
}

const SeriesModel::Node& SeriesModel::node(const QModelIndex& index) const
{
    return m_nodes[index.isValid() ? std::size_t(index.internalId()) : 0];
}

const RunMeasure* SeriesModel::measureAt(const QModelIndex& index) const
{
    const int measure = node(index).measure;
    return measure < 0 ? nullptr : &(*m_measures)[std::size_t(measure)];
}

const QVector<double>& SeriesModel::valuesAt(const QModelIndex& index) const
{
    static const QVector<double> none;
    const RunMeasure* measure = measureAt(index);
    return measure ? measure->values(m_model.series()) : none;
}

void SeriesModel::addIds(int at, QStringList& ids) const
{
    const Node& one = m_nodes[std::size_t(at)];
    if (one.measure >= 0)
        ids << (*m_measures)[std::size_t(one.measure)].id;
    for (const int child : one.children)
        addIds(child, ids);
}

QStringList SeriesModel::idsAt(const QModelIndex& index) const
{
    QStringList ids;
    if (index.isValid())
        addIds(int(index.internalId()), ids);
    return ids;
}

QModelIndex SeriesModel::firstSeries() const
{
    std::size_t at = 0;
    while (!m_nodes[at].children.empty())
        at = std::size_t(m_nodes[at].children.front());
    return at == 0 ? QModelIndex() : createIndex(m_nodes[at].row, 0, quintptr(at));
}

QModelIndex SeriesModel::index(int row, int column, const QModelIndex& parent) const
{
    const Node& of = node(parent);
    if (row < 0 || std::size_t(row) >= of.children.size() || column < 0 || column > ValueColumn)
        return {};
    return createIndex(row, column, quintptr(of.children[std::size_t(row)]));
}

QModelIndex SeriesModel::parent(const QModelIndex& index) const
{
    const int at = index.isValid() ? node(index).parent : 0;
    return at <= 0 ? QModelIndex() : createIndex(m_nodes[std::size_t(at)].row, 0, quintptr(at));
}

int SeriesModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : int(node(parent).children.size());
}

int SeriesModel::columnCount(const QModelIndex&) const
{
    return ValueColumn + 1;
}

QVariant SeriesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const RunMeasure* measure = measureAt(index);
    if (role == IdRole)
        return measure ? measure->id : QString();
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == ValueColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole && index.column() == NameColumn)
        return node(index).text;
    if (!measure)
        return {};
    const QVector<double>& values = valuesAt(index);
    const QString last =
        values.isEmpty() || !std::isfinite(values.last())
            ? QStringLiteral("–")
            : tr("%1 %2", "value, unit").arg(format::rate(values.last() * measure->scale), measure->unit);
    if (role == Qt::DisplayRole)
        return last;
    if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
        const QString name = nameOf(*measure);
        const QString text = measure->title == name || measure->counter < 0 || measure->title == measure->name
                                 ? name
                                 : tr("%1 (%2)", "measure, the server's name for it").arg(measure->title, name);
        return tr("%1: %2", "series, its last value").arg(text, last);
    }
    return {};
}

QVariant SeriesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == NameColumn ? tr("Series") : tr("Last value");
}

Qt::ItemFlags SeriesModel::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled : Qt::NoItemFlags;
}

QStringList SeriesModel::mimeTypes() const
{
    return {QLatin1String(kSeriesMime)};
}

QMimeData* SeriesModel::mimeData(const QModelIndexList& indexes) const
{
    QStringList ids;
    for (const QModelIndex& one : indexes) {
        if (one.column() == NameColumn)
            ids << idsAt(one);
    }
    ids.removeDuplicates();
    auto* data = new QMimeData;
    data->setData(QLatin1String(kSeriesMime), seriesToDrag(ids));
    return data;
}

} // namespace dyno
