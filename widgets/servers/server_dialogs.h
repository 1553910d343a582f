// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The questions of the Servers page: what instance to make, what one costs, and which server of others to know. All
//! are shown with open() and never block; passwords go to the keyring. GUI thread.
#pragma once

#include "bridge/job.h"
#include "plan/knob_model.h"
#include "plan/plan_editor.h"
#include "plan/target_draft.h"

#include <dyno/catalog.h>

#include <dyno/servers.h>

#include <QDialog>
#include <QStringList>

#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

#include <functional>

namespace dyno {

class Field;
class FitTable;
class PriceFields;
class SettingsModel;

//! A name, a program, and settings that differ from the defaults.
class StartInstanceDialog : public QDialog
{
    Q_OBJECT
public:
    //! `chosen` is the index of the program to begin with; `taken` are the names of instances that exist.
    StartInstanceDialog(std::vector<ServerProgram> programs, int chosen, QStringList taken, QWidget* parent = nullptr);

signals:
    void startRequested(const dyno::TargetUri& uri, const dyno::Settings& knobs, const dyno::Price& price);

private:
    void layOut();
    [[nodiscard]] QHBoxLayout* makeSettings();
    void addKnob();
    void check();
    void send();
    void programChanged();                              //!< other knobs, another name to begin with
    [[nodiscard]] const ServerProgram* program() const; //!< the chosen one, nullptr for none
    [[nodiscard]] Settings knobs() const;               //!< server variables, names without scope

    std::vector<ServerProgram> m_programs;
    QStringList m_taken;
    QString m_suggested; //!< name of the instance that nobody has typed
    PlanEditor m_editor; //!< owns the settings of the table, with undo
    QLineEdit* m_name;
    Field* m_nameField;
    QComboBox* m_program;
    SettingsModel* m_settings;
    FitTable* m_table;
    PriceFields* m_price;
    QPushButton* m_start;
};

//! What the machine of an instance that is there costs.
class InstancePriceDialog : public QDialog
{
    Q_OBJECT
public:
    explicit InstancePriceDialog(const ServerInstance& instance, QWidget* parent = nullptr);

signals:
    void saveRequested(const dyno::Price& price);
};

class Keyring;

//! URI or its parts, password, name, "production", and the user's own commands for knobs that need a restart.
class RemoteServerDialog : public QDialog
{
    Q_OBJECT
public:
    //! An empty URI: a new one.
    RemoteServerDialog(const RemoteServer& server, const Keyring& keyring, QWidget* parent = nullptr);

signals:
    void saveRequested(const dyno::RemoteServer& server, const QString& password);

private:
    void describeFields(const Keyring& keyring);
    void layOut();
    [[nodiscard]] QWidget* makeParts();
    void fillParts(); //!< from the URI
    void takeParts(); //!< into the URI
    void check();
    void testConnection();
    void showResult(const Expected<ServerFacts>& result);
    void send();

    std::string m_before; //!< the URI that is edited
    TargetDraft m_draft;  //!< the URI as parts
    QLineEdit *m_name, *m_uri, *m_password;
    QLineEdit *m_host = nullptr, *m_port = nullptr, *m_user = nullptr, *m_database = nullptr;
    QComboBox* m_system = nullptr;
    Field *m_uriField, *m_nameField;
    QPushButton* m_test;
    QLabel* m_result;
    Job<Expected<ServerFacts>> m_job;
    QString m_tested; //!< the URI that m_result is about
    PriceFields* m_price;
    QCheckBox* m_production;
    QPlainTextEdit *m_apply, *m_restart;
    QLabel* m_problem;
    QPushButton* m_save;
};

//! Message and remedy, a line each.
[[nodiscard]] QString errorLines(const Error& error);

} // namespace dyno
