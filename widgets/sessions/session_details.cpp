// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_details.h"

#include "bridge/library_worker.h"
#include "format.h"
#include "parts/card.h"
#include "parts/failure_text.h"
#include "parts/run_status_text.h"
#include "qt_text.h"
#include "sessions/session_model.h"

#include <dyno/missing_runs.h>
#include <dyno/report.h>

#include <QGridLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTextBrowser>

namespace dyno {

namespace {

//! Shows text and nothing from elsewhere: notes may come with a file of others.
class NotesView : public QTextBrowser
{
public:
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

} // namespace

SessionDetails::SessionDetails(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState(QStringLiteral("sessions"), tr("No session selected"),
                             tr("Select a session to see its facts, tags and notes"), {}))
    , m_title(makeLabel({}, TextRole::Section))
    , m_status(new Chip)
    , m_reason(makeLabel({}, TextRole::Secondary))
    , m_damage(makeLabel({}, TextRole::Secondary))
    , m_missing(makeLabel({}, TextRole::Secondary))
    , m_runMissing(makeButton(tr("Run what is missing")))
    , m_limit(makeLabel({}, TextRole::Secondary))
    , m_factsBox(new QWidget)
    , m_tags(new QLineEdit)
    , m_notes(new QPlainTextEdit)
    , m_notesView(new NotesView)
    , m_notesStack(new QStackedWidget)
    , m_notesEdit(makeButton({}, "link"))
    , m_annotations(makeLabel({}, TextRole::Secondary))
    , m_saved(makeLabel({}, TextRole::Label))
{
    setObjectName(QStringLiteral("sessionDetails"));
    m_title->setWordWrap(true);
    m_title->setObjectName(QStringLiteral("sessionDetailsTitle"));
    m_reason->setWordWrap(true);
    m_reason->setObjectName(QStringLiteral("sessionDetailsReason"));
    m_damage->setWordWrap(true);
    m_damage->setObjectName(QStringLiteral("sessionDetailsDamage"));
    setTone(m_damage, Tone::Bad);
    m_damage->hide();
    m_missing->setWordWrap(true);
    m_missing->setObjectName(QStringLiteral("sessionDetailsMissing"));
    m_missing->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_missing->hide();
    m_runMissing->setObjectName(QStringLiteral("sessionDetailsRunMissing"));
    m_runMissing->setToolTip(tr("Runs what is not complete, into this session"));
    m_runMissing->hide();
    m_limit->setWordWrap(true);
    m_limit->setObjectName(QStringLiteral("sessionDetailsLimit"));
    setTone(m_limit, Tone::Bad);
    m_limit->hide();
    m_tags->setObjectName(QStringLiteral("sessionTags"));
    m_tags->setAccessibleName(tr("Tags"));
    m_tags->setPlaceholderText(tr("tag, another tag"));
    m_tags->setToolTip(tr("Tags, separated by commas; the search box finds them"));
    m_notes->setObjectName(QStringLiteral("sessionNotes"));
    m_notes->setAccessibleName(tr("Notes"));
    m_notes->setPlaceholderText(tr("What was tested? What did it show?"));
    m_notes->setToolTip(tr("Markdown; saved while you type"));
    m_notes->setTabChangesFocus(true);
    m_notesView->setObjectName(QStringLiteral("sessionNotesView"));
    m_notesView->setAccessibleName(tr("Notes"));
    m_notesView->setOpenLinks(false);
    m_notesEdit->setObjectName(QStringLiteral("sessionNotesEdit"));
    m_notesStack->addWidget(m_notes);
    m_notesStack->addWidget(m_notesView);
    m_notesStack->setMinimumHeight(90);
    m_notesStack->setMaximumHeight(300);
    m_annotations->setObjectName(QStringLiteral("sessionAnnotations"));
    m_annotations->setWordWrap(true);
    m_annotations->setToolTip(tr("Notes on the time axes of the runs"));
    m_annotations->hide();

    layOut();
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(kSaveAfterMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &SessionDetails::flush);
    connect(m_notes, &QPlainTextEdit::textChanged, this, [this] {
        if (m_id.isEmpty() || m_notes->toPlainText() == m_savedNotes)
            return;
        m_saved->clear();
        m_saveTimer.start();
    });
    connect(m_notesEdit, &QPushButton::clicked, this, [this] {
        const bool write = m_notesStack->currentIndex() == 1;
        if (!write)
            flush();
        showNotes(!write);
        if (write)
            m_notes->setFocus();
    });
    connect(m_tags, &QLineEdit::editingFinished, this, &SessionDetails::saveTags);
    connect(m_runMissing, &QPushButton::clicked, this, [this] { emit runMissingRequested(m_id); });
    connect(m_empty, &EmptyState::buttonClicked, this, &SessionDetails::compareRequested);
}

void SessionDetails::layOut()
{
    auto* card = new Card;
    card->body()->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_status, 0, Qt::AlignTop);
    card->body()->addLayout(head);
    card->body()->addWidget(m_reason);
    card->body()->addWidget(m_damage);
    card->body()->addWidget(m_missing);
    card->body()->addWidget(m_runMissing);
    card->body()->addWidget(m_limit);
    card->body()->addWidget(m_factsBox);
    card->body()->addWidget(makeLabel(tr("Tags"), TextRole::Secondary));
    card->body()->addWidget(m_tags);
    auto* notesHead = new QHBoxLayout;
    notesHead->addWidget(makeLabel(tr("Notes"), TextRole::Secondary));
    notesHead->addStretch(1);
    notesHead->addWidget(m_saved);
    notesHead->addWidget(m_notesEdit);
    card->body()->addLayout(notesHead);
    card->body()->addWidget(m_notesStack, 10);
    card->body()->addWidget(m_annotations);
    card->body()->addStretch(1);

    auto* none = new Card;
    none->body()->addWidget(m_empty, 1);
    m_stack->addWidget(none);
    auto* scroll = new QScrollArea; // a long reason takes nothing from the lines below it
    scroll->setObjectName(QStringLiteral("sessionDetailsScroll"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(card);
    scroll->viewport()->setAutoFillBackground(false);
    m_stack->addWidget(scroll);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
}

SessionDetails::~SessionDetails() = default;

bool SessionDetails::canRunMissing(const SessionInfo& session)
{
    return session.runsDone < session.runsPlanned && session.status != RunStatus::Running && !wasImported(session);
}

void SessionDetails::showSession(const SessionInfo& session)
{
    const QString id = qtText(session.id);
    const bool same = id == m_id;
    if (!same)
        flush();
    m_id = id;
    m_runMissing->setVisible(canRunMissing(session));
    if (session.runsDone == session.runsPlanned)
        m_missing->hide();
    if (!same) {
        m_damage->hide();
        m_limit->hide();
        m_missing->hide();
        m_annotations->hide();
    }
    m_title->setText(session.title.empty() ? tr("Untitled") : qtText(session.title));
    m_status->setText(statusText(session.status));
    setTone(m_status, statusTone(session.status));
    QString reason = qtText(session.reason);
    if (session.status == RunStatus::Cut) {
        reason = tr("Cut off: Dynobench ended before the session finished. "
                    "Everything up to the last interval is kept.") %
                 (reason.isEmpty() ? QString() : QLatin1Char('\n') % reason);
    }
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty() && (m_missing->isHidden() || !m_missing->text().contains(reason)));
    setFacts(session);
    if (!same || !m_tags->hasFocus()) {
        m_savedTags.clear();
        for (const std::string& tag : session.tags)
            m_savedTags += qtText(tag);
        m_tags->setText(m_savedTags.join(QStringLiteral(", ")));
    }
    if (!same || (!m_saveTimer.isActive() && m_notes->toPlainText() != qtText(session.notes) && !m_notes->hasFocus())) {
        m_savedNotes = qtText(session.notes);
        m_notes->setPlainText(m_savedNotes);
        m_saved->clear();
        showNotes(!m_savedNotes.trimmed().isEmpty());
    }
    m_stack->setCurrentIndex(1);
}

void SessionDetails::readVerdict(LibraryWorker& worker)
{
    worker.run<Verdict>(
        Library::Mode::ReadOnly, [id = m_id.toStdString()](Library& library) { return verdictOf(library, id); },
        [this, id = m_id](Expected<Verdict> verdict) {
            if (id == m_id && verdict) // without an answer nothing is claimed
                showVerdict(*verdict);
        });
}

//! On the library's thread.
Expected<SessionDetails::Verdict> SessionDetails::verdictOf(Library& library, const std::string& id)
{
    const auto session = library.session(id);
    if (!session)
        return fail(session.error());
    Verdict verdict;
    verdict.runs = int(session->runs.size());
    for (const std::string& part : session->damage)
        verdict.damage += qtText(part);
    for (const MissingRun& one : missingRuns(*session)) {
        if (one.run && one.run->status == RunStatus::Failed)
            verdict.missing += failureText(failureOf(session->header, *one.run));
    }
    if (const auto failure = firstFailure(*session); failure && failure->where.empty())
        verdict.missing += failureText(*failure);
    if (const std::string sittings = sittingsText(*session); !sittings.empty())
        verdict.missing += qtText(sittings);
    for (const StoredRun& run : session->runs) {
        const auto point = std::size_t(run.summary.point);
        const auto& points = session->header.points;
        if (const std::string missed = missedExpectation(*session, run); !missed.empty())
            verdict.missing += tr("Run %1: %2").arg(run.header.index + 1).arg(qtText(missed));
        if (run.summary.clientLimited)
            verdict.limited += tr("Run %1, %2: %3")
                                   .arg(run.header.index + 1)
                                   .arg(point < points.size() ? qtText(points[point].label()) : QString(),
                                        qtText(run.summary.clientReason));
    }
    const auto annotations = library.annotations(id);
    for (const Annotation& one : annotations ? *annotations : std::vector<Annotation>()) {
        const auto run = std::find_if(session->runs.begin(), session->runs.end(),
                                      [&one](const StoredRun& r) { return r.id == one.run; });
        if (run != session->runs.end())
            verdict.annotations += tr("Run %1 at %2: %3")
                                       .arg(run->header.index + 1)
                                       .arg(format::duration(double(one.tNs) * 1e-9), qtText(one.text));
    }
    return verdict;
}

void SessionDetails::showVerdict(const Verdict& verdict)
{
    constexpr qsizetype kMost = 3; // the rest is in the tool tip
    QStringList shown = verdict.missing.mid(0, kMost);
    if (verdict.missing.size() > kMost)
        shown += tr("… and %1 more").arg(format::count(verdict.missing.size() - kMost));
    m_missing->setVisible(!shown.isEmpty());
    m_missing->setText(shown.join(QLatin1Char('\n')));
    m_reason->setVisible(!m_reason->text().isEmpty() &&
                         !m_missing->text().contains(m_reason->text())); // once is enough
    m_missing->setToolTip(verdict.missing.size() > kMost ? verdict.missing.join(QLatin1Char('\n')) : QString());
    m_annotations->setVisible(!verdict.annotations.isEmpty());
    m_annotations->setText(tr("Notes on the time axis:") % QLatin1Char('\n') %
                           verdict.annotations.join(QLatin1Char('\n')));
    m_damage->setVisible(!verdict.damage.isEmpty());
    m_damage->setText(tr("Damaged in the file and excluded: %1. Restore the file from a backup.")
                          .arg(verdict.damage.join(QStringLiteral("; "))));
    m_limit->setVisible(!verdict.limited.isEmpty());
    m_limit->setText(
        verdict.limited.size() == 1 && verdict.runs == 1
            ? tr("Client-limited: %1").arg(verdict.limited.front())
            : tr("Client-limited in %1 of %2 runs. %3")
                  .arg(format::count(verdict.limited.size()), format::count(verdict.runs), verdict.limited.value(0)));
    m_limit->setToolTip(tr("The load generator was the limit; a faster server would have shown no more:\n%1")
                            .arg(verdict.limited.join(QLatin1Char('\n'))));
}

void SessionDetails::setFacts(const SessionInfo& session)
{
    delete m_factsBox->layout();
    qDeleteAll(m_factsBox->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    auto* grid = new QGridLayout(m_factsBox);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(1, 1);
    const auto add = [grid](const QString& name, const QString& value) {
        if (value.isEmpty())
            return;
        const int row = grid->rowCount();
        grid->addWidget(makeLabel(name, TextRole::Secondary), row, 0, Qt::AlignTop);
        auto* label = new ElidedLabel(value, TextRole::Secondary);
        setRole(label, "factValue"); // the colour of plain text
        label->setFont(Theme::font(TextRole::Secondary));
        label->setAlignment(Qt::AlignRight);
        label->setAccessibleName(name % QStringLiteral(": ") % value);
        grid->addWidget(label, row, 1);
    };
    add(wasImported(session) ? tr("Dated") : tr("Started"), format::when(session.startedMs));
    if (session.finishedMs > session.startedMs)
        add(tr("Took"), format::duration(double(session.finishedMs - session.startedMs) / 1000));
    add(tr("Product"), qtText(session.product));
    if (!wasImported(session)) // the place of what another tool measured is its log
        add(tr("Target"), qtText(session.target));
    add(tr("Workload"), qtText(session.workload));
    add(tr("Runs"), SessionModel::runsText(session));
    add(tr("From"), qtText(session.source));
    if (session.archived)
        add(tr("Archived"), tr("yes"));
}

void SessionDetails::showCount(int selected)
{
    flush();
    m_id.clear();
    if (selected == 0) {
        m_empty->setTexts(tr("No session selected"), tr("Select a session to see its facts, tags and notes"));
    } else {
        m_empty->setTexts(tr("%1 sessions selected").arg(format::count(selected)),
                          tr("Compare lays them side by side, with ratios to a baseline"), tr("Compare"));
    }
    m_empty->setIconName(selected == 0 ? QStringLiteral("sessions") : QStringLiteral("compare"));
    m_stack->setCurrentIndex(0);
}

void SessionDetails::flush()
{
    m_saveTimer.stop();
    if (m_id.isEmpty())
        return;
    saveTags();
    const QString notes = m_notes->toPlainText();
    if (notes == m_savedNotes)
        return;
    m_savedNotes = notes;
    m_saved->setText(tr("saved"));
    const QString id = m_id; // a copy: the receiver may show another session before it is done with the id
    emit notesChanged(id, notes);
}

void SessionDetails::saveTags()
{
    const QStringList tags = SessionModel::splitTags(m_tags->text());
    if (m_id.isEmpty() || tags == m_savedTags)
        return;
    m_savedTags = tags;
    const QString id = m_id;
    emit tagsChanged(id, tags);
}

void SessionDetails::showNotes(bool asText)
{
    if (asText)
        m_notesView->document()->setMarkdown(m_notes->toPlainText(),
                                             QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                                 QTextDocument::MarkdownNoHTML);
    m_notesStack->setCurrentIndex(asText ? 1 : 0);
    m_notesEdit->setText(asText ? tr("Edit") : tr("Show"));
    m_notesEdit->setAccessibleName(asText ? tr("Edit the notes") : tr("Show the notes as they read"));
    m_notesEdit->setToolTip(m_notesEdit->accessibleName());
}

void SessionDetails::editNotes()
{
    showNotes(false);
    m_notes->setFocus(Qt::ShortcutFocusReason);
}

void SessionDetails::hideEvent(QHideEvent* event)
{
    flush();
    QWidget::hideEvent(event);
}

} // namespace dyno
