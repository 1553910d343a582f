// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/knob_model.h"

#include "parts/plan_text.h"
#include "plan/target_path.h"

#include <QMimeData>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

QString typeText(const OptionSpec& option)
{
    switch (option.type) {
    case OptionType::Bool:
        return KnobModel::tr("on or off");
    case OptionType::Integer:
        return KnobModel::tr("whole number");
    case OptionType::Real:
        return KnobModel::tr("number");
    case OptionType::Choice: {
        QStringList names;
        for (const std::string& name : option.choices) {
            if (!name.empty())
                names << qtText(name);
        }
        return names.join(u" | "_s);
    }
    case OptionType::Duration:
        return KnobModel::tr("duration");
    case OptionType::Bytes:
        return KnobModel::tr("bytes");
    case OptionType::Text:
        break;
    }
    return KnobModel::tr("text");
}

} // namespace

std::vector<KnobChoice> knobChoices(const QString& driver, const QString& workload)
{
    std::vector<KnobChoice> choices;
    const auto add = [&choices](const QString& scope, const OptionSpec& option) -> KnobChoice* {
        const QString path = scope + u'.' + qtText(option.name);
        const bool known = std::any_of(choices.begin(), choices.end(),
                                       [&path](const KnobChoice& choice) { return choice.path == path; });
        if (known)
            return nullptr;
        KnobChoice& choice = choices.emplace_back();
        choice.path = path;
        choice.option = option;
        return &choice;
    };
    if (!driver.isEmpty()) {
        for (const KnobInfo& knob : knobs(driver.toStdString())) {
            if (KnobChoice* choice = add(qtText(knob.scope), knob.option)) {
                choice->restart = knob.restart;
                choice->initialisation = knob.initialisation;
                choice->safety = qtText(knob.safety);
                choice->manual = qtText(knob.manual);
                for (const std::string& value : knob.values)
                    choice->values << qtText(value);
                choice->editions = knob.editions;
                choice->replacement = qtText(knob.replacement);
            }
        }
        if (const DriverInfo* info = findDriver(driver.toStdString())) {
            for (const OptionSpec& option : info->connection)
                add(u"connection"_s, option);
        }
    }
    if (const WorkloadInfo* info = findWorkload(workload.toStdString())) {
        for (const OptionSpec& option : info->options)
            add(u"workload"_s, option);
    }
    OptionSpec uri;
    uri.name = "uri";
    uri.label = KnobModel::tr("Target").toStdString();
    uri.help = KnobModel::tr("Another database in each case, as a URI").toStdString();
    add(u"target"_s, uri);
    if (KnobChoice* choice = add(u"target"_s, userPathOption()))
        choice->values = userPathChoices();
    OptionSpec cost;
    cost.name = "cost_per_hour";
    cost.label = KnobModel::tr("Cost per hour").toStdString();
    cost.help = KnobModel::tr("What an hour of the case's machine costs, for figures per cost").toStdString();
    cost.type = OptionType::Real;
    cost.defaultValue = 0.0;
    add(u"target"_s, cost);
    OptionSpec watts = cost;
    watts.name = "watts";
    watts.label = KnobModel::tr("Power").toStdString();
    watts.help = KnobModel::tr("What the case's machine draws, for figures per watt-hour").toStdString();
    watts.unit = "W";
    add(u"target"_s, watts);
    return choices;
}

KnobChoice knobChoice(const std::vector<KnobChoice>& choices, const QString& path)
{
    const auto found =
        std::find_if(choices.begin(), choices.end(), [&path](const KnobChoice& choice) { return choice.path == path; });
    if (found != choices.end())
        return *found;
    KnobChoice unknown;
    unknown.path = path;
    unknown.option.name = splitPath(path).name.toStdString();
    unknown.option.label = unknown.option.name;
    unknown.described = false;
    return unknown;
}

QString editionsText(const KnobChoice& choice)
{
    QStringList places;
    for (const KnobEdition& edition : choice.editions) {
        QString text = productName(qtText(edition.product));
        if (!edition.since.empty())
            text += KnobModel::tr(" from %1").arg(qtText(edition.since));
        if (!edition.until.empty())
            text += KnobModel::tr(" before %1").arg(qtText(edition.until));
        if (!edition.name.empty() && edition.name != choice.option.name)
            text += KnobModel::tr(", there %1").arg(qtText(edition.name));
        if (edition.restart && *edition.restart != choice.restart)
            text += *edition.restart ? KnobModel::tr(", with a restart") : KnobModel::tr(", without a restart");
        for (const std::string& decided : edition.decides)
            text += KnobModel::tr(", decides %1 at the start").arg(qtText(decided));
        if (edition.defaultValue && *edition.defaultValue != choice.option.defaultValue)
            text += KnobModel::tr(", default %1").arg(valueText(*edition.defaultValue));
        places << text;
    }
    return places.join(u"; "_s);
}

QString knobPathOf(const QMimeData* data)
{
    return data ? QString::fromUtf8(data->data(QLatin1String(kKnobMimeType))) : QString();
}

QString knobToolTip(const KnobChoice& choice)
{
    const QString scope = scopeLabel(splitPath(choice.path).scope);
    if (!choice.described) {
        return u"<p><b>%1</b> · %2</p><p>%3</p>"_s.arg(
            choice.path.toHtmlEscaped(), scope.toHtmlEscaped(),
            KnobModel::tr("Not in the catalogue: sent as typed, read back before measuring").toHtmlEscaped());
    }
    QString text = optionToolTip(choice.option);
    QStringList notes{scope};
    if (choice.initialisation)
        notes << KnobModel::tr("only when the data folder or file is made");
    else if (choice.restart)
        notes << KnobModel::tr("needs a restart of the server");
    if (!choice.manual.isEmpty())
        notes << KnobModel::tr("manual: %1").arg(choice.manual);
    text += u"<p>%1</p>"_s.arg(notes.join(u" · "_s).toHtmlEscaped());
    if (const QString where = editionsText(choice); !where.isEmpty())
        text += u"<p>%1</p>"_s.arg(KnobModel::tr("Exists in: %1").arg(where).toHtmlEscaped());
    if (!choice.replacement.isEmpty())
        text += u"<p>%1</p>"_s.arg(KnobModel::tr("Where it is gone: %1").arg(choice.replacement).toHtmlEscaped());
    if (!choice.values.isEmpty())
        text += u"<p>%1</p>"_s.arg(KnobModel::tr("Worth trying: %1").arg(choice.values.join(u", "_s)).toHtmlEscaped());
    if (!choice.safety.isEmpty())
        text += u"<p><b>%1</b> %2</p>"_s.arg(KnobModel::tr("Safety:").toHtmlEscaped(), choice.safety.toHtmlEscaped());
    return text;
}

QStringList freeScopes(const QString& driver)
{
    const DriverInfo* info = findDriver(driver.toStdString());
    if (info && info->freeVariables)
        return {u"server"_s, u"connection"_s};
    return {};
}

void KnobModel::setChoices(std::vector<KnobChoice> choices)
{
    beginResetModel();
    m_choices = std::move(choices);
    endResetModel();
}

int KnobModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_choices.size());
}

QVariant KnobModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const KnobChoice& choice = m_choices[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return splitPath(choice.path).name;
    case Qt::ToolTipRole:
        return knobToolTip(choice);
    case Qt::AccessibleTextRole:
        return tr("%1, %2").arg(splitPath(choice.path).name, scopeLabel(splitPath(choice.path).scope));
    case PathRole:
        return choice.path;
    case HelpRole:
        return qtText(choice.option.help);
    case TypeRole: {
        QString text = scopeLabel(splitPath(choice.path).scope) + u" · " + typeText(choice.option);
        if (choice.restart)
            text += u" · " + tr("restart");
        return text;
    }
    case SafetyRole:
        return choice.safety;
    case SearchRole:
        return QString(choice.path + u' ' + qtText(choice.option.label) + u' ' + qtText(choice.option.help) + u' ' +
                       scopeLabel(splitPath(choice.path).scope));
    default:
        return {};
    }
}

Qt::ItemFlags KnobModel::flags(const QModelIndex& index) const
{
    return QAbstractListModel::flags(index) | (index.isValid() ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QStringList KnobModel::mimeTypes() const
{
    return {QLatin1String(kKnobMimeType)};
}

QMimeData* KnobModel::mimeData(const QModelIndexList& indexes) const
{
    auto* data = new QMimeData;
    if (!indexes.isEmpty())
        data->setData(QLatin1String(kKnobMimeType), indexes.front().data(PathRole).toString().toUtf8());
    return data;
}

void KnobFilter::setSearch(const QString& text)
{
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool KnobFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QString text = sourceModel()->index(row, 0, parent).data(KnobModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace dyno
