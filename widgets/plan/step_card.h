// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One step of the Plan page: folded it is a line that says what the step has settled, open it shows its form. GUI
//! thread.
#pragma once

#include <QAbstractButton>
#include <QFrame>
#include <QString>

class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace dyno {

//! What a folded step says.
struct StepLine
{
    QString bold; //!< what matters: "4 cases of durability"
    QString rest; //!< the rest, in the second text
    bool operator==(const StepLine&) const = default;
};

//! The line of a step. A click, Space or Enter opens or folds it.
class StepHeader : public QAbstractButton
{
    Q_OBJECT
public:
    StepHeader(const QString& number, const QString& title, QWidget* parent = nullptr);
    void setLine(const StepLine& line);
    void setFault(const QString& text);
    void setHint(const QString& text);
    void setNameWidth(int width);
    void setOpen(bool open);
    [[nodiscard]] const StepLine& line() const { return m_line; }
    [[nodiscard]] QString fault() const { return m_fault; }
    [[nodiscard]] QString hint() const { return m_hint; }
    [[nodiscard]] int nameWidth() const; //!< that the title needs
    [[nodiscard]] QHBoxLayout* room() const { return m_room; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void describeLine();
    QString m_number, m_title, m_fault, m_hint;
    StepLine m_line;
    int m_nameWidth = 0;
    QHBoxLayout* m_room; //!< left of "Edit"
};

class StepCard : public QFrame
{
    Q_OBJECT
public:
    //! `number`: "1", or "" for a card that is no step. Folded at first. Object names begin with `name`.
    StepCard(const QString& name, const QString& number, const QString& title, QWidget* form,
             QWidget* parent = nullptr);
    void setLine(const StepLine& line); //!< shown while it is folded
    void setFault(const QString& text); //!< what there is to do here, shown in place of StepLine::rest; "" = complete
    void setHint(const QString& text);  //!< beside the title while it is open
    void addAction(QWidget* action);    //!< at the right of the title while it is open
    //! A button below the form that leads on; it emits nextClicked().
    void setNext(const QString& text, const QString& tip);
    [[nodiscard]] QVBoxLayout* body() const { return m_body; }
    [[nodiscard]] StepHeader& header() const { return *m_header; }
    [[nodiscard]] bool isOpen() const { return m_open; }
    void setOpen(bool open);

signals:
    void toggled(); //!< a person wants it open, or folded
    void nextClicked();

private:
    StepHeader* m_header;
    QWidget* m_content;
    QVBoxLayout* m_body;
    QHBoxLayout* m_foot;
    QList<QWidget*> m_actions;
    bool m_open = false;
};

} // namespace dyno
