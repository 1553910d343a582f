// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this person has agreed to in plans (trust.h): what was typed into the plan in the form, and what was allowed
//! once, which the engine remembers by its content for the window and for `dyno` (dyno/agreements.h). GUI thread.
#pragma once

#include <dyno/plan.h>
#include <dyno/trust.h>

#include <QByteArray>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

class Agreements
{
public:
    //! What the second plan says and the first does not was typed by this person. But a word typed into somebody else's
    //! text of several statements, or to a long one, is no agreement to the rest, nor is its coming back by an undo.
    void noteTyped(const Plan& before, const Plan& after);
    //! What the second plan says and the first does not came from a file: who chose it has not read it.
    void noteInserted(const Plan& before, const Plan& after);
    //! The plan was checked: what came with it and is agreed to is this person's.
    void planChecked(const Plan& plan, const std::vector<Risk>& risks);
    //! Another plan is in the form: what was typed into the last one is no word about this one. What a recipe of ours
    //! sets on servers is agreed to with the server that is typed: only where its target is still the recipe's.
    void planOpened(const Plan& plan);
    //! To what was typed, and to those of the risks that were allowed. The same risk against other targets is another
    //! one.
    [[nodiscard]] Consent consentTo(const Plan& plan, const std::vector<Risk>& risks) const;
    [[nodiscard]] std::vector<Risk> unanswered(const Plan& plan, const std::vector<Risk>& risks) const;
    //! For good: of the same content nobody is asked again.
    void remember(const Plan& plan, const std::vector<Risk>& risks);
    //! Remembers what was typed or allowed of the plan's risks. What somebody else wrote into it and nobody allowed is
    //! asked about as before: saving is no answer to a question.
    void planSaved(const Plan& plan, const std::vector<Risk>& risks);

private:
    //! Key and SHA-256 of the value; of the plan in the form.
    using Digests = std::set<std::pair<std::string, QByteArray>>;
    Digests m_typed;
    Digests m_ofOthers; //!< texts of more than a line that came with the plan, and what was made of them
    std::vector<std::pair<std::string, std::string>> m_ofRecipe; //!< key and value
};

} // namespace dyno
