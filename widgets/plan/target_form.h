// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where the load goes: servers that are known by name, one tile for each kind of target, its fields, the URI they
//! make, and a test of the connection off the GUI thread. The password goes to the keyring: not into the plan, not into
//! the settings. GUI thread.
#pragma once

#include "bridge/job.h"
#include "bridge/keyring.h"
#include "bridge/server_worker.h"
#include "plan/target_draft.h"

#include <dyno/catalog.h>

#include <QHash>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace dyno {

class ChoiceTile;
class Field;
class PlanEditor;
class TargetPathField;
class TargetPrice;

//! A server as a choice: "shop (MariaDB 10.11.19)" and the URI that a plan uses.
struct KnownServer
{
    QString name;   //!< short, as a case's label: "MySQL 8.0.31", "shop"
    QString second; //!< what it is
    QString uri;
};
//! Instances with a name, servers of others, installed programs; in this order.
[[nodiscard]] std::vector<KnownServer> knownServers(const ServerList& list);

class TargetForm : public QWidget
{
    Q_OBJECT
public:
    TargetForm(PlanEditor& editor, Keyring& keyring, QWidget* parent = nullptr);
    [[nodiscard]] QString password() const; //!< only for a remote target, else ""
    //! Accepts a file chosen for the SQLite target.
    void setFile(const QString& path);
    void focusUri();
    [[nodiscard]] bool testing() const { return m_testing; }
    //! Asked with the URI before each test of a connection; false: not now, and whoever said so calls testConnection()
    //! again.
    void setTestGate(std::function<bool(const QString& uri)> gate) { m_testGate = std::move(gate); }
    void testConnection();
    //! Adds to the result of a test which rights the user lacks for the plan; none says so too. Nothing while no
    //! successful test is shown.
    void showMissingRights(const QStringList& missing);
    //! What the window knows of servers: to choose from, and to lay side by side.
    void setServers(const ServerList& list);

signals:
    //! An axis of these servers is wanted.
    void sideBySideRequested(const std::vector<dyno::KnownServer>& servers);
    void tested(bool ok); //!< the test of the connection has ended and its result is on the screen

private:
    QWidget* makeFileFields();
    QWidget* makeManagedFields();
    QWidget* makeRemoteFields();
    Field* lineField(const QString& name, const QString& label, const QString& placeholder, const QString& tip,
                     int width);
    void choose(TargetDraft::Kind kind);
    void fieldsEdited();
    void send(const QString& uri, const QString& mergeKey);
    void sync();
    void fillFields();
    void showSystem();
    void browse();
    void showResult(const Expected<ServerFacts>& result);
    QWidget* makeTiles();
    QHBoxLayout* makeUriLine();
    QWidget* makeKnown();
    void chooseSideBySide();

    void showPassword();

    PlanEditor& m_editor;
    Keyring& m_keyring;
    TargetDraft m_draft;
    QHash<int, TargetDraft> m_drafts; //!< last fields of each kind, to come back to
    QHash<int, ChoiceTile*> m_tiles;
    QHash<QString, QLineEdit*> m_lines;
    QHash<QString, Field*> m_lineFields;
    QStackedWidget* m_fields;
    QHash<int, QWidget*> m_pages;
    std::vector<KnownServer> m_servers;
    QWidget* m_knownBox = nullptr;
    QComboBox* m_known = nullptr;
    QPushButton* m_sideBySide = nullptr;
    QComboBox* m_product = nullptr;
    QComboBox* m_transport = nullptr;
    QComboBox* m_system = nullptr; //!< of a running server, by the scheme of its URI
    QComboBox* m_tls = nullptr;
    QLineEdit* m_uri;
    Field* m_uriField;
    QPushButton* m_test;
    QLabel* m_result;
    TargetPathField* m_path;
    TargetPrice* m_price;
    std::optional<TargetUri> m_passwordFor; //!< the account that the password field is about
    std::function<bool(const QString& uri)> m_testGate;
    QString m_testedUri;
    QString m_facts; //!< first line of a successful test
    Job<Expected<ServerFacts>> m_job;
    bool m_testing = false;
};

//! "TLS_AES_128_GCM_SHA256" as it is (it says TLS itself), "TLS ECDHE-RSA-AES128-GCM-SHA256".
[[nodiscard]] QString cipherText(const std::string& cipher);
//! The outcome of a test in one or two lines for a person.
[[nodiscard]] QString resultText(const Expected<ServerFacts>& result);

} // namespace dyno
