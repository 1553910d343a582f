// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Recipes of this person's own: plans with their views, a question and figures, each a file in a folder beside the
//! library. None of them is trusted because it lies there: what its plan wants is asked as of any plan (trust.h), and
//! recipes() and recipePlan() do not know it. All calls read or write files: never on the GUI thread.
#pragma once

#include "catalog.h"
#include "error.h"
#include "library.h"
#include "plan.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Beside the library: "library.recipes" of "library.dynolib".
[[nodiscard]] std::filesystem::path recipesFolder(const std::filesystem::path& library);

//! What ids begin with, which no built-in recipe does: of recipes that were saved here, and of files of others
//! that were added.
inline constexpr std::string_view kSavedRecipe = "own-";
inline constexpr std::string_view kAddedRecipe = "added-";
[[nodiscard]] bool isOwnRecipe(std::string_view id); //!< saved or added

struct OwnRecipe
{
    DYNO_VALUE_TYPE(OwnRecipe);
    RecipeInfo info;          //!< its id is the name of its file, whatever the file says
    bool described = false;   //!< its [recipe] table says more than "departs", which any plan may keep
    std::optional<Plan> plan; //!< set when `faults` is empty; its source is the id in the folder
    Faults faults;
};
[[nodiscard]] std::vector<std::string> ownRecipeIds(const std::filesystem::path& folder); //!< in their order
//! Of a folder, by id. A file that cannot be read is there with its faults. No folder: none.
[[nodiscard]] std::vector<OwnRecipe> ownRecipes(const std::filesystem::path& folder);
//! The error names the folder's ids that are near.
[[nodiscard]] Expected<OwnRecipe> ownRecipe(const std::filesystem::path& folder, std::string_view id);
//! A recipe from anywhere, which stays where it is: the plan is data of a stranger. Its id is the one in the file,
//! its plan has no source. A file that is not `described` is a plan, not a recipe.
[[nodiscard]] OwnRecipe readRecipe(const std::filesystem::path& file);

//! What a person says of a recipe.
struct RecipeWords
{
    std::string name;        //!< one line, below the question on its card; the id is made of it
    std::string question;    //!< Plan::title
    std::string description; //!< Plan::description
};
//! Writes a new recipe and returns its id. Refused: a plan with faults, and one with a setting that holds a secret.
[[nodiscard]] Expected<std::string> saveRecipe(const std::filesystem::path& folder, const Plan& plan,
                                               const RecipeWords& words);
//! Changes what is said of a recipe; its id stays, and with it the results that belong to it.
[[nodiscard]] Expected<void> renameRecipe(const std::filesystem::path& folder, std::string_view id,
                                          const RecipeWords& words);
//! Copies somebody's file into the folder and returns its id there. Refused: a file with faults (the error names the
//! first place), and one with a setting that holds a secret. `text`: what was read of it before.
[[nodiscard]] Expected<std::string> addRecipe(const std::filesystem::path& folder, const std::filesystem::path& file);
[[nodiscard]] Expected<std::string> addRecipe(const std::filesystem::path& folder, const std::filesystem::path& file,
                                              const std::string& text);
//! Returns the text of the file, with which restoreRecipe() puts it back.
[[nodiscard]] Expected<std::string> removeRecipe(const std::filesystem::path& folder, std::string_view id);
[[nodiscard]] Expected<void> restoreRecipe(const std::filesystem::path& folder, std::string_view id,
                                           std::string_view text);

//! Figures of a session as a reference for the next ones ([[published]]): of each measure of its views that runs have,
//! the figure of each point. `by`: whose they are, "" = not told. Empty when nothing was measured.
[[nodiscard]] std::vector<Published> resultOf(const StoredSession& session, std::string_view by);

} // namespace dyno
