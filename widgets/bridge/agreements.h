// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What this person has agreed to in plans (trust.h): what was typed into the plan in the form, and what was allowed
//! once, which the engine remembers by its content for the window and for `dyno` (dyno/agreements.h). GUI thread.
#pragma once

#include <dyno/plan.h>
#include <dyno/trust.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

class Agreements
{
public:
    //! What the second plan says and the first does not was typed by this person; but a word typed into somebody else's
    //! text of several lines is no agreement to the other lines.
    void noteTyped(const Plan& before, const Plan& after);
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
    std::set<std::pair<std::string, std::string>> m_typed; //!< key and value; of the plan in the form
};

} // namespace dyno
