// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How the load is put on: users, arrivals, times, repeats, order, seed, executor. GUI thread.
#pragma once

#include <dyno/plan.h>

#include <QHash>
#include <QWidget>

#include <functional>
#include <vector>

class QComboBox;
class QLineEdit;

namespace dyno {

class Field;
class Disclosure;
class LoadPartsForm;
class PlanEditor;

class LoadForm : public QWidget
{
    Q_OBJECT
public:
    explicit LoadForm(PlanEditor& editor, QWidget* parent = nullptr);
    void focusPath(const QString& where); //!< "load.users"
    [[nodiscard]] Field* field(const QString& name) const { return m_fields.value(name); }
    //! True while a field holds text that no plan can: Start waits for it.
    [[nodiscard]] QString problem() const;

signals:
    void problemChanged();

private:
    //! A field whose text is read by `read` (false: cannot be) and shown by `show`.
    struct Line
    {
        QLineEdit* edit = nullptr;
        std::function<QString(const QString& text, LoadProfile& load)> read; //!< "" or what is wrong
        std::function<QString(const LoadProfile& load)> show;
        QString planned; //!< what the plan had when the field was last brought in step with it
    };
    Field* addLine(const QString& name, const QString& label, const QString& placeholder, const QString& tip, int width,
                   decltype(Line::read) read, decltype(Line::show) show);
    [[nodiscard]] QWidget* makeBasic();
    [[nodiscard]] QWidget* makeFolded();
    [[nodiscard]] std::vector<Field*> limitFields();   //!< interval, transactions, seed
    [[nodiscard]] std::vector<Field*> machineFields(); //!< how users, loaders, server and data are treated
    //! The fields of [load] that are text for both a plan file and a person.
    [[nodiscard]] std::vector<Field*> arrivalFields();
    [[nodiscard]] std::vector<Field*> furtherFields();
    [[nodiscard]] QComboBox* makeModel();
    struct Choice
    {
        QString text;
        int value = 0;
        QString tip;
    };
    static void addChoices(QComboBox* box, const QString& name, const QString& label, const QString& tip,
                           const std::vector<Choice>& choices);
    void fillOrder();
    void connectChoices();
    void unfoldParts(const LoadProfile& load);
    void sync();

    PlanEditor& m_editor;
    QHash<QString, Line> m_lines;
    QHash<QString, Field*> m_fields;
    QComboBox* m_model;
    QComboBox* m_order;
    QComboBox* m_executor;
    QComboBox* m_restart;
    QComboBox* m_data;
    QComboBox* m_before;
    LoadPartsForm* m_phases;
    LoadPartsForm* m_groups;
    Disclosure* m_parts; //!< shows and hides them
    bool m_hadParts = false;
};

} // namespace dyno
