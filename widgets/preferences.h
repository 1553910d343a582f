// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a person chooses in Settings. The only owner of these keys of QSettings and of their defaults. GUI thread.
#pragma once

#include <QObject>
#include <QSettings>
#include <QString>
#include <QVariant>

namespace dyno {

//! One choice: its key in QSettings, what holds until a person has chosen, and which values there may be.
template<class T>
struct Preference
{
    const char* key;
    T usual;
    bool (*allows)(const T& value) = nullptr; //!< nullptr: any
};

class Preferences : public QObject
{
    Q_OBJECT
public:
    static Preferences& instance();

    static const Preference<int> theme;        //!< a Theme::Choice
    static const Preference<QString> language; //!< "de"; "" = as the system has it. Counts from the next start
    static const Preference<QString> size;     //!< of a recipe, where it has one of this name
    static const Preference<double> interval;  //!< of new plans: seconds between two samples, 0.1 to 10
    static const Preference<bool> notices;     //!< tell the desktop when a session ends behind another window
    static const Preference<int> noticeAfter;  //!< seconds: shorter sessions are not told

    template<class T>
    [[nodiscard]] T get(const Preference<T>& one) const
    {
        const QVariant stored = QSettings().value(QLatin1String(one.key));
        T value = one.usual;
        if (stored.isValid() &&
            !QMetaType::convert(stored.metaType(), stored.constData(), QMetaType::fromType<T>(), &value))
            return one.usual; // written by hand
        return !one.allows || one.allows(value) ? value : one.usual;
    }
    template<class T>
    void set(const Preference<T>& one, const T& value)
    {
        QSettings().setValue(QLatin1String(one.key), QVariant::fromValue(value));
        emit changed(QLatin1String(one.key));
    }

signals:
    void changed(const QString& key);

private:
    Preferences() = default;
};

} // namespace dyno
