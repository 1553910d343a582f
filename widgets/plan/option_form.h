// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A form made from option descriptions: one control an option, basic ones in view, the others under "More options".
//! Shows what is given and the defaults as placeholders; never owns the values. GUI thread.
#pragma once

#include "parts/field.h"

#include <dyno/value.h>

#include <QHash>
#include <QWidget>

#include <optional>

class QVBoxLayout;

namespace dyno {

class OptionForm : public QWidget
{
    Q_OBJECT
public:
    //! `prefix` starts the object names of the controls: "prefix.table_size".
    explicit OptionForm(const QString& prefix, QWidget* parent = nullptr);

    void setOptions(const OptionSpecs& options); //!< makes the controls anew when the options differ
    //! Given values; what is not named shows its default. A control that has the focus keeps what is being typed.
    void setValues(const Settings& given);
    [[nodiscard]] const OptionSpecs& options() const { return m_options; }
    [[nodiscard]] Field* field(const QString& name) const { return m_fields.value(name); }
    //! Brings an option into view (unfolds) and gives it the focus; false if there is none of this name.
    bool focusOption(const QString& name);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    //! The person set an option; nullopt: back to its default. A value that does not fit is passed on as typed.
    void edited(const QString& name, const std::optional<dyno::Value>& value);

private:
    [[nodiscard]] Field* makeField(const OptionSpec& option);
    [[nodiscard]] QWidget* makeControl(const OptionSpec& option);
    [[nodiscard]] QWidget* makeChooser(const OptionSpec& option, Field* field);
    void showValue(const OptionSpec& option, const Value* given);
    void send(const OptionSpec& option, const QString& text);

    QString m_prefix;
    OptionSpecs m_options;
    Settings m_given;
    QHash<QString, Field*> m_fields;
    QVBoxLayout* m_layout;
    QWidget* m_content = nullptr;
    Disclosure* m_more = nullptr;
};

} // namespace dyno
