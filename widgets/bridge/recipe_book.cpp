// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/recipe_book.h"

#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "bridge/recipe_dialog.h"
#include "format.h"
#include "parts/dialog.h"
#include "parts/field.h"
#include "parts/file_dialog.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "qt_text.h"
#include "theme.h"

#include <dyno/analysis.h>
#include <dyno/report.h>
#include <dyno/trust.h>

#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QPlainTextEdit>
#include <QSaveFile>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSessionsLookedAt = 20; //!< for a result of a plan

//! The newest session of exactly this plan that measured something here.
std::optional<RecipeResult> newestResult(Library& library, const Plan& plan)
{
    const auto sessions = library.sessions();
    const std::string wanted = writePlan(plan);
    int looked = 0;
    for (const SessionInfo& info : sessions ? *sessions : std::vector<SessionInfo>()) {
        if (info.workload != plan.workload.name || info.runsDone == 0 || wasImported(info))
            continue;
        if (++looked > kSessionsLookedAt)
            break;
        auto session = library.session(info.id);
        if (session && writePlan(session->header.plan) == wanted && !resultOf(*session, {}).empty())
            return RecipeResult{qtText(info.title), info.startedMs, std::move(*session)};
    }
    return {};
}

QString resultText(const std::optional<RecipeResult>& result)
{
    return result ? RecipeBook::tr("“%1”, %2", "session, day").arg(result->title, format::day(result->startedMs))
                  : QString();
}

} // namespace

RecipeBook& RecipeBook::of(AppContext& context)
{
    if (auto* book = context.findChild<RecipeBook*>())
        return *book;
    return *new RecipeBook(context);
}

RecipeBook::RecipeBook(AppContext& context)
    : QObject(&context)
    , m_context(context)
    , m_worker(context.library())
{
}

std::filesystem::path RecipeBook::folder() const
{
    return recipesFolder(m_context.library());
}

template<class T>
void RecipeBook::write(const QString& failed, std::function<Expected<T>()> work, std::function<void(const T&)> done)
{
    m_worker.submit<T>(std::move(work), [this, failed, done = std::move(done)](Expected<T> result) {
        if (!result) {
            m_context.showMessage(failed.arg(qtText(result.error().text())));
            return;
        }
        emit changed();
        done(*result);
    });
}

void RecipeBook::savePlan(const Plan& plan, QWidget* parent)
{
    m_worker.run<std::optional<RecipeResult>>(
        Library::Mode::ReadOnly,
        [plan](Library& library) -> Expected<std::optional<RecipeResult>> { return newestResult(library, plan); },
        [this, plan, parent = QPointer(parent)](Expected<std::optional<RecipeResult>> result) {
            ask(plan, true, result ? std::move(*result) : std::nullopt, parent); // a plan needs no library
        },
        std::optional<RecipeResult>());
}

void RecipeBook::saveSession(const QString& sessionId, QWidget* parent, std::function<void(const Error&)> failed,
                             const std::optional<View>& shown)
{
    struct Read
    {
        StoredSession session;
        bool hasResult = false;
    };
    m_worker.run<Read>(
        Library::Mode::ReadOnly,
        [id = sessionId.toStdString()](Library& library) -> Expected<Read> {
            auto session = library.session(id);
            if (!session)
                return fail(session.error());
            const bool has = !resultOf(*session, {}).empty();
            return Read{std::move(*session), has};
        },
        [this, parent = QPointer(parent), failed = std::move(failed), shown](Expected<Read> read) {
            if (!parent)
                return; // whoever would hear of it is gone
            if (!read)
                return failed(read.error());
            StoredSession& session = read->session;
            Plan plan = session.header.plan;
            if (shown) {
                std::erase_if(plan.views, [&](const View& one) {
                    return one.name.empty() ? viewText(one) == viewText(*shown) : one.name == shown->name;
                });
                plan.views.insert(plan.views.begin(), *shown);
            }
            std::optional<RecipeResult> result;
            if (read->hasResult)
                result = RecipeResult{qtText(session.info.title), session.info.startedMs, std::move(session)};
            ask(plan, false, std::move(result), parent);
        });
}

void RecipeBook::ask(const Plan& plan, bool isInForm, std::optional<RecipeResult> result,
                     const QPointer<QWidget>& parent)
{
    if (!parent)
        return;
    auto* dialog = new RecipeDialog(RecipeDialog::Act::Save, {{}, plan.title, plan.description}, resultText(result),
                                    parent->window());
    connect(dialog, &RecipeDialog::chosen, this,
            [this, plan, isInForm, result = std::move(result)](const RecipeWords& words, bool withResult,
                                                               const QString& by) {
                write<std::vector<Risk>>(
                    tr("The recipe was not saved: %1"),
                    [folder = folder(), plan, words, result = withResult ? result : std::nullopt,
                     by = by.toStdString()]() -> Expected<std::vector<Risk>> {
                        Plan saved = plan;
                        if (result)
                            std::ranges::move(resultOf(result->session, by), std::back_inserter(saved.published));
                        if (const auto id = saveRecipe(folder, saved, words); !id)
                            return fail(id.error());
                        return risksOf(saved);
                    },
                    [this, plan, isInForm](const std::vector<Risk>& risks) {
                        if (isInForm)
                            m_context.agreements().planSaved(plan, risks);
                        m_context.showMessage(tr("The recipe stands on Start"), tr("Show"),
                                              [this] { m_context.showPage(u"startPage"_s); });
                    });
            });
    dialog->open();
}

void RecipeBook::rename(const QString& id, QWidget* parent)
{
    m_worker.submit<OwnRecipe>(
        [folder = folder(), id = id.toStdString()] { return ownRecipe(folder, id); },
        [this, id, parent = QPointer(parent)](Expected<OwnRecipe> recipe) {
            if (!parent)
                return;
            if (!recipe || !recipe->plan) {
                m_context.showMessage(tr("The recipe cannot be renamed: %1")
                                          .arg(qtText(recipe ? recipe->faults.front().what : recipe.error().text())));
                return;
            }
            auto* dialog = new RecipeDialog(RecipeDialog::Act::Rename,
                                            {recipe->info.summary, recipe->plan->title, recipe->plan->description}, {},
                                            parent->window());
            connect(dialog, &RecipeDialog::chosen, this, [this, id](const RecipeWords& words) {
                write<bool>(
                    tr("The recipe was not renamed: %1"),
                    [folder = folder(), id = id.toStdString(), words]() -> Expected<bool> {
                        if (const auto renamed = renameRecipe(folder, id, words); !renamed)
                            return fail(renamed.error());
                        return true;
                    },
                    [](const bool&) {});
            });
            dialog->open();
        });
}

void RecipeBook::remove(const QString& id, const QString& title)
{
    write<std::string>(
        tr("The recipe was not deleted: %1"),
        [folder = folder(), id = id.toStdString()] { return removeRecipe(folder, id); },
        [this, id, title](const std::string& text) {
            using NotDone = std::function<void(const Error&)>;
            // Either way of the undo says itself what failed.
            const auto act = [self = QPointer(this)](const QString& failed, std::function<Expected<bool>()> work,
                                                     NotDone notDone) {
                if (!self)
                    return;
                self->m_worker.submit<bool>(std::move(work),
                                            [self, failed, notDone = std::move(notDone)](Expected<bool> done) {
                                                if (!self)
                                                    return;
                                                emit self->changed();
                                                if (done)
                                                    return;
                                                self->m_context.showMessage(failed.arg(qtText(done.error().text())));
                                                if (notDone)
                                                    notDone(done.error());
                                            });
            };
            LibraryStep step;
            step.text = tr("delete the recipe “%1”").arg(title);
            step.told = tr("Deleted the recipe “%1”").arg(title);
            step.undo = [act, folder = folder(), id = id.toStdString(), text](NotDone notDone) {
                act(
                    RecipeBook::tr("The recipe was not restored: %1"),
                    [folder, id, text]() -> Expected<bool> {
                        if (const auto back = restoreRecipe(folder, id, text); !back)
                            return fail(back.error());
                        return true;
                    },
                    std::move(notDone));
            };
            step.redo = [act, folder = folder(), id = id.toStdString()](NotDone notDone) {
                act(
                    RecipeBook::tr("The recipe was not deleted: %1"),
                    [folder, id]() -> Expected<bool> {
                        if (const auto gone = removeRecipe(folder, id); !gone)
                            return fail(gone.error());
                        return true;
                    },
                    std::move(notDone));
            };
            LibraryUndo::of(m_context).done(std::move(step));
        });
}

void RecipeBook::exportFile(const QString& id, QWidget* parent)
{
    QFileDialog* dialog = makeFileDialog(parent, u"recipeExport"_s, tr("Export the recipe"), tr("Export"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Recipes (*.toml)"));
    dialog->setDefaultSuffix(u"toml"_s);
    dialog->selectFile(id + u".toml"_s);
    connect(dialog, &QFileDialog::fileSelected, this, [this, id](const QString& file) {
        m_worker.submit<bool>(
            [folder = folder(), id = id.toStdString(), file]() -> Expected<bool> {
                const auto recipe = ownRecipe(folder, id);
                if (!recipe)
                    return fail(recipe.error());
                QSaveFile out(file);
                const QByteArray text = QByteArray::fromStdString(recipe->info.toml);
                if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit())
                    return fail({ErrorKind::Storage, out.errorString().toStdString(), file.toStdString(), {}});
                return true;
            },
            [this, file](Expected<bool> written) {
                m_context.showMessage(written
                                          ? tr("Exported as %1").arg(QFileInfo(file).fileName())
                                          : tr("The recipe was not exported: %1").arg(qtText(written.error().text())));
            });
    });
    dialog->open();
}

void RecipeBook::offerFile(const QString& file, QWidget* parent, std::function<void()> otherwise)
{
    struct Read
    {
        bool isRecipe = false;
        OwnRecipe recipe;
        std::vector<Risk> risks;
    };
    m_worker.submit<Read>(
        [file = std::filesystem::path(file.toStdString())]() -> Expected<Read> {
            Read read;
            read.recipe = readRecipe(file);
            read.isRecipe = read.recipe.described && read.recipe.plan; // faults: shown as a plan's
            if (read.isRecipe)
                read.risks = risksOf(*read.recipe.plan);
            return read;
        },
        [this, file, parent = QPointer(parent), otherwise = std::move(otherwise)](Expected<Read> read) {
            if (!parent)
                return;
            if (read && read->isRecipe)
                showFile(file, read->recipe, read->risks, parent);
            else
                otherwise();
        });
}

void RecipeBook::showFile(const QString& file, const OwnRecipe& recipe, const std::vector<Risk>& risks, QWidget* parent)
{
    auto* dialog = new QDialog(parent);
    QVBoxLayout* layout = dressDialog(*dialog, u"recipeFile"_s, tr("A recipe from a file"));
    keepSize(*dialog, {680, 560});
    const auto add = [layout](const std::string& text, TextRole role, const QString& name) {
        if (text.empty())
            return;
        auto* label = new WrapLabel(qtText(text), role); // plain text: a stranger wrote it
        label->setObjectName(name);
        layout->addWidget(label);
    };
    add(recipe.plan->title, TextRole::Section, u"recipeFileQuestion"_s);
    add(recipe.info.summary, TextRole::Secondary, u"recipeFileName"_s);
    add(recipe.plan->description, TextRole::Body, u"recipeFileDescription"_s);
    for (const Published& one : recipe.plan->published)
        add(one.date.empty() ? one.source : one.source + ", " + one.date, TextRole::Secondary, u"recipeFileResult"_s);
    QStringList wants;
    for (const Risk& risk : risks)
        wants << u"•  "_s + qtText(toText(risk));
    auto* trust = new WrapLabel(
        wants.isEmpty() ? tr("Nothing has been run, written or sent.")
                        : tr("Nothing has been run, written or sent. Before it runs you are asked whether it may:") +
                              u'\n' + wants.join(u'\n'),
        TextRole::Secondary);
    trust->setObjectName(u"recipeFileTrust"_s);
    setTone(trust, wants.isEmpty() ? Tone::Neutral : Tone::Warn);
    layout->addWidget(trust);
    auto* text = new QPlainTextEdit(qtText(recipe.info.toml));
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    describe(text, u"recipeFileText"_s, tr("Text of the recipe"), tr("The file as it is"));
    layout->addWidget(text, 1);
    QDialogButtonBox* buttons = makeDialogButtons(*dialog, u"recipeFileClose"_s);
    QPushButton* take = makeButton(tr("Add to Start"));
    describe(take, u"recipeFileAdd"_s, tr("Add to Start"), tr("Copy it among your recipes; it does not run"));
    QPushButton* open = makeButton(tr("Open as a plan"));
    describe(open, u"recipeFileOpen"_s, tr("Open as a plan"), tr("Show it on the Plan page; it does not run"));
    buttons->addButton(take, QDialogButtonBox::ActionRole);
    buttons->addButton(open, QDialogButtonBox::ActionRole);
    layout->addWidget(buttons);
    connect(open, &QPushButton::clicked, dialog, [this, dialog, plan = *recipe.plan] {
        dialog->accept();
        m_context.editPlan(plan);
    });
    connect(take, &QPushButton::clicked, dialog, [this, dialog, file, text = recipe.info.toml] {
        dialog->accept();
        write<std::string>(
            tr("The recipe was not added: %1"),
            [folder = folder(), file = file.toStdString(), text] { return addRecipe(folder, file, text); },
            [this](const std::string&) {
                m_context.showPage(u"startPage"_s);
                m_context.showMessage(tr("The recipe stands on Start"));
            });
    });
    QPushButton* close = buttons->button(QDialogButtonBox::Cancel);
    close->setDefault(true);
    dialog->open();
    close->setFocus(Qt::OtherFocusReason);
}

} // namespace dyno
