// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A person's own recipes in the window: saving a plan as one, renaming, exporting, deleting, and what happens with a
//! recipe that somebody else sent. Files are read and written in the background, one after the other. GUI thread.
#pragma once

#include "bridge/library_worker.h"

#include <dyno/own_recipes.h>
#include <dyno/trust.h>

#include <QObject>
#include <QPointer>
#include <QString>
#include <QWidget>

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace dyno {

class AppContext;

//! A result that may stand in a recipe.
struct RecipeResult
{
    QString title;         //!< of its session
    qint64 startedMs = 0;  //!< since 1970, UTC
    StoredSession session; //!< resultOf() it has figures
};

class RecipeBook : public QObject
{
    Q_OBJECT
public:
    //! Of this window; made when it is first asked for.
    static RecipeBook& of(AppContext& context);

    [[nodiscard]] std::filesystem::path folder() const;
    //! Asks for name, question and description, then saves. The newest session of the plan as it is may go along.
    void savePlan(const Plan& plan, QWidget* parent);
    //! The same with the plan and the result of a stored session; `failed` is told why it cannot be read.
    //! `shown`: the view that its charts begin with; else as its plan has them.
    void saveSession(const QString& sessionId, QWidget* parent, std::function<void(const Error&)> failed,
                     const std::optional<View>& shown = {});
    void rename(const QString& id, QWidget* parent);
    void remove(const QString& id, const QString& title); //!< can be undone
    void exportFile(const QString& id, QWidget* parent);
    //! A file of somebody: when it is a recipe it is shown with its text, and nothing else happens before the person
    //! chose; anything else goes to `otherwise`.
    void offerFile(const QString& file, QWidget* parent, std::function<void()> otherwise);

signals:
    void changed(); //!< the folder holds something else

private:
    explicit RecipeBook(AppContext& context);
    //! `isInForm`: the plan on the Plan page, where what was typed is agreed to with saving.
    void ask(const Plan& plan, bool isInForm, std::optional<RecipeResult> result, const QPointer<QWidget>& parent);
    void showFile(const QString& file, const OwnRecipe& recipe, const std::vector<Risk>& risks, QWidget* parent);
    template<class T>
    void write(const QString& failed, std::function<Expected<T>()> work, std::function<void(const T&)> done);

    AppContext& m_context;
    LibraryWorker m_worker;
};

} // namespace dyno
