// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/guide_dialog.h"

#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "theme.h"

#include <dyno/uri.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kGuideWidth = 560, kOffersShown = 6, kGuideRow = 30;
constexpr std::array kMinutes{2.0, 15.0, 60.0, 480.0};
constexpr double kUsualPlanMinutes = 1;

//! The largest size that fits; nullopt when none does.
std::optional<RecipeSize> sizeWithin(const Recipe& recipe, double minutes)
{
    std::vector<RecipeSize> sizes = recipe.sizes;
    if (sizes.empty())
        sizes.push_back({{}, recipe.minutes});
    std::optional<RecipeSize> best;
    for (const RecipeSize& size : sizes) {
        const bool fits = minutes <= 0 || (size.minutes > 0 && size.minutes <= minutes);
        if (fits && (!best || size.minutes > best->minutes))
            best = size;
    }
    return best;
}

bool isAbout(const Recipe& recipe, const GuideAnswers& answers)
{
    return (answers.subject.isEmpty() || recipe.tags.contains(answers.subject)) &&
           (answers.product.isEmpty() || recipe.products.contains(answers.product));
}

} // namespace

std::vector<GuideOffer> offersFor(const RecipeModel& recipes, const GuideAnswers& answers)
{
    std::vector<GuideOffer> offers;
    for (int row = 0; row < recipes.rowCount(); ++row) {
        const Recipe& recipe = recipes.recipe(row);
        if (!recipe.problem.isEmpty() || !isAbout(recipe, answers))
            continue;
        if (const auto size = sizeWithin(recipe, answers.minutes))
            offers.push_back({recipe.id, recipe.title, size->name, size->minutes});
    }
    return offers;
}

Plan planFor(const RecipeModel& recipes, const GuideAnswers& answers)
{
    Plan plan;
    plan.title = GuideDialog::tr("New plan").toStdString();
    plan.workload.name = "oltp_read_write";
    for (int row = 0; row < recipes.rowCount() && plan.target.uri.empty() && !answers.product.isEmpty(); ++row) {
        const Recipe& recipe = recipes.recipe(row);
        if (recipe.products == QStringList{answers.product} && !recipe.isOwn()) {
            plan.target.uri = recipe.plan.target.uri;
            plan.workload = recipe.plan.workload;
        }
    }
    plan.load.users = {1, 8};
    const double minutes = answers.minutes > 0 ? answers.minutes : kUsualPlanMinutes;
    plan.load.warmupSeconds = 5;
    plan.load.timeSeconds = std::max(5.0, minutes * 60 / double(plan.load.users.size()) - plan.load.warmupSeconds - 5);
    plan.views.emplace_back();
    return plan;
}

GuideDialog::GuideDialog(const RecipeModel& recipes, QWidget* parent)
    : QDialog(parent)
    , m_recipes(recipes)
    , m_subject(new QComboBox)
    , m_product(new QComboBox)
    , m_time(new QComboBox)
    , m_result(new WrapLabel({}, TextRole::Secondary))
    , m_list(new QListWidget)
    , m_start(makeButton(tr("Start"), "primary"))
    , m_edit(makeButton(tr("Open as a plan")))
{
    setMinimumWidth(kGuideWidth);
    describe(m_subject, u"guideSubject"_s, tr("What do you want to know?"), tr("The subject of the benchmark"));
    describe(m_product, u"guideProduct"_s, tr("Which server?"), tr("What is measured"));
    describe(m_time, u"guideTime"_s, tr("How long may it take?"), tr("Estimated, without loading the data"));
    m_subject->addItem(tr("Anything"), QString());
    for (const char* subject : kSubjects)
        m_subject->addItem(subjectText(QLatin1String(subject)), QLatin1String(subject));
    m_product->addItem(tr("Any"), QString());
    for (const QString& product : recipes.products())
        m_product->addItem(product, product);
    for (const double minutes : kMinutes)
        m_time->addItem(tr("Up to %1").arg(minutesText(minutes)), minutes);
    m_time->addItem(tr("As long as it takes"), 0.0);
    m_time->setCurrentIndex(1);
    describe(m_list, u"guideOffers"_s, tr("Benchmarks that fit"), tr("Choose one; Enter starts it"));
    m_list->setFixedHeight(kOffersShown * kGuideRow);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_result->setObjectName(u"guideResult"_s);
    describe(m_start, u"guideStart"_s, tr("Start"), tr("Start measuring"));
    describe(m_edit, u"guideEdit"_s, tr("Open as a plan"), tr("Show it on the Plan page; it does not run"));
    QVBoxLayout* layout = dressDialog(*this, u"guideDialog"_s, tr("Help me choose"));
    for (QComboBox* box : {m_subject, m_product, m_time}) {
        layout->addWidget(makeLabel(box->accessibleName(), TextRole::Secondary));
        layout->addWidget(box);
        connect(box, &QComboBox::currentIndexChanged, this, &GuideDialog::refresh);
    }
    layout->addSpacing(6);
    layout->addWidget(m_result);
    layout->addWidget(m_list);
    QDialogButtonBox* buttons = makeDialogButtons(*this, u"guideCancel"_s);
    buttons->addButton(m_start, QDialogButtonBox::AcceptRole);
    buttons->addButton(m_edit, QDialogButtonBox::ActionRole);
    layout->addWidget(buttons);
    const auto chosen = [this] { return std::size_t(std::max(0, m_list->currentRow())); };
    connect(m_start, &QPushButton::clicked, this, [this, chosen] {
        const GuideOffer offer = m_offers[chosen()];
        accept();
        emit startWanted(offer.id, offer.size);
    });
    connect(m_edit, &QPushButton::clicked, this, [this, chosen] {
        const bool none = m_offers.empty();
        const GuideOffer offer = none ? GuideOffer() : m_offers[chosen()];
        const GuideAnswers wanted = answers();
        accept();
        if (none)
            emit planWanted(planFor(m_recipes, wanted));
        else
            emit editWanted(offer.id, offer.size);
    });
    refresh();
    m_subject->setFocus();
}

GuideAnswers GuideDialog::answers() const
{
    return {m_subject->currentData().toString(), m_product->currentData().toString(), m_time->currentData().toDouble()};
}

void GuideDialog::refresh()
{
    m_offers = offersFor(m_recipes, answers());
    m_list->clear();
    for (const GuideOffer& offer : m_offers) {
        QStringList how{offer.size.isEmpty() ? QString() : sizeText(offer.size), minutesText(offer.minutes)};
        how.removeAll(QString());
        auto* item =
            new QListWidgetItem(how.isEmpty() ? offer.title : QString(offer.title + u" · "_s + how.join(u", "_s)));
        item->setToolTip(item->text());
        item->setSizeHint({0, kGuideRow});
        m_list->addItem(item);
    }
    const bool none = m_offers.empty();
    m_list->setCurrentRow(none ? -1 : 0);
    m_list->setEnabled(!none);
    m_result->setText(none ? tr("No benchmark fits. Begin a plan of your own, or change an answer.")
                           : tr("%n benchmark(s) fit. Each is shown in the largest size that fits the time.", nullptr,
                                int(m_offers.size())));
    m_start->setEnabled(!none);
    m_edit->setText(none ? tr("Begin a plan") : tr("Open as a plan"));
    m_edit->setAccessibleName(m_edit->text());
    m_start->setDefault(!none);
    m_edit->setDefault(none);
}

} // namespace dyno
