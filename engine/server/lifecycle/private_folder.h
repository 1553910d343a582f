// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The folder of one managed server: made, locked while its owner lives, and cleared away when an owner died. Control
//! thread only; folderState(), readFolderFacts() and remove() from any.
#pragma once

#include <dyno/error.h>
#include <dyno/value.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! An exclusive lock on a file (flock). The kernel lets go of it when its holder dies, however it dies.
class FileLock
{
public:
    FileLock() = default;
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock() { release(); }

    //! Waits until the lock is free, or until somebody wants to stop: then it is empty.
    static Expected<FileLock> wait(const std::filesystem::path& file, const std::function<bool()>& stopped = {});
    //! Waits until nobody has it alone; others may share it too.
    static Expected<FileLock> share(const std::filesystem::path& file);
    //! Empty (held() == false) when somebody else holds it.
    static Expected<FileLock> attempt(const std::filesystem::path& file);
    [[nodiscard]] bool held() const { return m_fd >= 0; }
    void release();
    //! Replaces the file's text, for people who look into the folder.
    void write(const std::string& text) const;

private:
    static Expected<FileLock> take(const std::filesystem::path& file, int operation);
    int m_fd = -1;
};

//! What a server's folder says of itself (its file "instance"), so that it can be listed and opened again.
struct FolderFacts
{
    std::string product; //!< as in managed:PRODUCT; "" when it does not say
    std::string version;
    std::string basedir;          //!< of the server that made the data; "" = of the distribution
    Settings initialisation;      //!< knobs that the data folder was made with
    std::optional<Settings> last; //!< knobs of the last start; nothing where none is on record
};
[[nodiscard]] FolderFacts readFolderFacts(const std::filesystem::path& folder);
[[nodiscard]] Expected<void> writeFolderFacts(const std::filesystem::path& folder, const FolderFacts& facts);

//! Who has a folder.
struct FolderState
{
    bool locked = false; //!< somebody has it
    int owner = 0;       //!< process that has it, or had it; 0 = not known
    int server = 0;      //!< process of the server that runs in it, 0 = none
};
//! Safe beside others that open folders of the same work folder.
[[nodiscard]] FolderState folderState(const std::filesystem::path& folder);

//! Where the folders of servers lie: those that end with their session, and those with a name, which stay.
[[nodiscard]] std::filesystem::path sessionServersFolder(const std::filesystem::path& workDir);
[[nodiscard]] std::filesystem::path namedServersFolder(const std::filesystem::path& workDir);
//! Whether it may name a folder: not empty, not hidden, in no other folder.
[[nodiscard]] bool isServerName(std::string_view name);

//! A session's own: PRODUCT-XXXXXX in sessionServersFolder(). A named one: NAME in namedServersFolder(). In it:
//!   lock     held by the owner, holds its process id
//!   keep     there when the data of a session's own is to stay
//!   socket   the short folder that its Unix socket lies in (a socket's path has at most 107 bytes)
//!   instance FolderFacts
class PrivateFolder
{
public:
    //! Clears away the folders of dead owners first. Errors name the folder that cannot be written.
    static Expected<PrivateFolder> create(const std::filesystem::path& workDir, const std::string& prefix);
    //! Opens the folder of that name, or makes it. A server that a dead owner left running in it is killed first. Error
    //! when somebody else has it: names the process.
    static Expected<PrivateFolder> openNamed(const std::filesystem::path& workDir, const std::string& name);
    PrivateFolder(PrivateFolder&&) noexcept = default;
    PrivateFolder& operator=(PrivateFolder&&) noexcept = delete;
    ~PrivateFolder(); //!< removes both folders, or only the socket's when the data is to be kept

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path socket() const { return m_socketFolder / "s"; }
    //! For servers whose clients want such a name (MongoDB's).
    [[nodiscard]] std::filesystem::path mongoSocket() const { return m_socketFolder / "s.sock"; }
    void setKeep(bool keep); //!< a named folder is always kept
    [[nodiscard]] bool kept() const { return m_keep; }
    [[nodiscard]] bool named() const { return m_named; }

    //! Removes the folders of sessions in `managed` that nobody owns and nobody wants kept, and kills a server that
    //! still runs in one of them. Returns how many.
    static int removeStale(const std::filesystem::path& managed);
    //! Those that removeStale() would remove.
    [[nodiscard]] static std::vector<std::filesystem::path> stale(const std::filesystem::path& managed);
    //! Removes one folder, whatever kind it is. Error when somebody has it.
    static Expected<void> remove(const std::filesystem::path& folder);

private:
    PrivateFolder() = default;
    Expected<void> makeSocketFolder();
    std::filesystem::path m_path;
    std::filesystem::path m_socketFolder;
    FileLock m_lock;
    bool m_keep = false;
    bool m_named = false;
};

//! Writes a file that only its owner may read, all or nothing, also after the machine's crash.
[[nodiscard]] Expected<void> replaceFile(const std::filesystem::path& file, std::string_view text);

//! Copies a folder with what is in it; files share their blocks where the file system can (FICLONE), and holes stay
//! holes.
[[nodiscard]] Expected<void> copyTree(const std::filesystem::path& from, const std::filesystem::path& to);
//! Copies one file likewise, replacing `to`.
[[nodiscard]] Expected<void> copyFile(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace dyno
