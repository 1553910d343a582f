// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/vectors/vector_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <hdf5.h>
#include <mutex>
#include <utility>

namespace dyno::vectors {

namespace {

constexpr std::size_t kMostNumberBytes = 16;
constexpr const char* kUseHdf5 = "use an HDF5 file as ann-benchmarks has it";

//! The library need not have been built for several threads.
std::mutex& hdf5Mutex()
{
    static std::mutex mutex;
    return mutex;
}

class Hdf5Handle
{
public:
    using Close = herr_t (*)(hid_t);
    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, Close close)
        : m_id(id)
        , m_close(close)
    {
    }
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : m_id(std::exchange(other.m_id, hid_t(H5I_INVALID_HID)))
        , m_close(other.m_close)
    {
    }
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept
    {
        std::swap(m_id, other.m_id);
        std::swap(m_close, other.m_close);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    ~Hdf5Handle() { release(); }
    void release()
    {
        if (m_id >= 0)
            m_close(std::exchange(m_id, hid_t(H5I_INVALID_HID)));
    }
    [[nodiscard]] hid_t id() const { return m_id; }
    explicit operator bool() const { return m_id >= 0; }

private:
    hid_t m_id = H5I_INVALID_HID;
    Close m_close = nullptr;
};

class Hdf5Source final : public VectorSource
{
public:
    explicit Hdf5Source(std::string path, const char* name)
        : m_path(std::move(path))
        , m_name(name)
    {
    }
    ~Hdf5Source() override
    {
        const std::lock_guard lock(hdf5Mutex());
        m_data.release();
        m_file.release();
    }
    Hdf5Source(const Hdf5Source&) = delete;
    Hdf5Source& operator=(const Hdf5Source&) = delete;

    int dimension() const override { return m_dimension; }
    std::int64_t size() const override { return m_size; }
    bool read(std::int64_t first, std::span<float> out) const override;
    Expected<void> open(const std::function<bool()>& goOn);

private:
    Expected<void> openData();
    Expected<void> checkForm();
    Expected<void> checkLayout() const;
    [[nodiscard]] tl::unexpected<Error> fault(std::string_view what, std::string remedy = kUseHdf5) const
    {
        return vectorFileFault(fmt::format("{}: the data set \"{}\" {}", m_path, m_name, what), std::move(remedy));
    }

    std::string m_path;
    const char* m_name;
    Hdf5Handle m_file, m_data;
    int m_dimension = 0;
    std::int64_t m_size = 0;
};

bool Hdf5Source::read(std::int64_t first, std::span<float> out) const
{
    const std::lock_guard lock(hdf5Mutex());
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); // of this thread
    const std::array<hsize_t, 2> from{hsize_t(first), 0},
        count{out.size() / std::size_t(m_dimension), hsize_t(m_dimension)};
    const Hdf5Handle space(H5Dget_space(m_data.id()), H5Sclose);
    const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    return space && memory &&
           H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) >= 0 &&
           H5Dread(m_data.id(), H5T_NATIVE_FLOAT, memory.id(), space.id(), H5P_DEFAULT, out.data()) >= 0;
}

Expected<void> Hdf5Source::openData()
{
    const std::lock_guard lock(hdf5Mutex());
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0); // no plug-in, whatever the file asks for
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access.id(), false, true); // who writes it may go on
    m_file = Hdf5Handle(H5Fopen(m_path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
    if (!m_file)
        return vectorFileFault(fmt::format("{} is damaged: its HDF5 structure cannot be read", m_path),
                               "copy the file again");
    H5L_info_t link{};
    if (H5Lexists(m_file.id(), m_name, H5P_DEFAULT) <= 0 || H5Lget_info(m_file.id(), m_name, &link, H5P_DEFAULT) < 0)
        return fault("is missing", "use a file of ann-benchmarks, or set workload.query_file");
    if (link.type != H5L_TYPE_HARD)
        return fault("is a link to somewhere else", "use a file that holds the numbers itself");
    m_data = Hdf5Handle(H5Dopen2(m_file.id(), m_name, H5P_DEFAULT), H5Dclose);
    if (!m_data)
        return fault("cannot be read");
    if (auto right = checkLayout(); !right)
        return right;
    return checkForm();
}

Expected<void> Hdf5Source::checkForm()
{
    const Hdf5Handle type(H5Dget_type(m_data.id()), H5Tclose), space(H5Dget_space(m_data.id()), H5Sclose);
    const H5T_class_t kind = type ? H5Tget_class(type.id()) : H5T_NO_CLASS;
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Tget_size(type.id()) > kMostNumberBytes)
        return fault("holds no numbers");
    std::array<hsize_t, 2> sizes{};
    if (!space || H5Sget_simple_extent_ndims(space.id()) != 2 ||
        H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr) != 2)
        return fault("is no list of vectors of one length");
    if (sizes[1] == 0 || sizes[1] > kMostDimensions || sizes[0] > hsize_t(1) << 40)
        return fault(fmt::format("has {} vectors of {} numbers", sizes[0], sizes[1]));
    if (H5Dget_storage_size(m_data.id()) < sizes[0] * sizes[1] * H5Tget_size(type.id()))
        return fault("holds less than it says", "copy the file again");
    m_size = std::int64_t(sizes[0]);
    m_dimension = int(sizes[1]);
    return {};
}

//! Asked before anything else of the data set: the library opens other files for those that are put together.
Expected<void> Hdf5Source::checkLayout() const
{
    const Hdf5Handle how(H5Dget_create_plist(m_data.id()), H5Pclose);
    if (!how || H5Pget_external_count(how.id()) != 0)
        return fault("is kept in other files", "use a file that holds the numbers itself");
    const H5D_layout_t layout = H5Pget_layout(how.id());
    if (layout == H5D_VIRTUAL)
        return fault("is put together of other data sets", "use a file that holds the numbers itself");
    // The library believes what a compressed chunk says of its length.
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS)
        return fault("is stored in chunks, or compressed", "write it as one piece, as ann-benchmarks does");
    return {};
}

Expected<void> Hdf5Source::open(const std::function<bool()>& goOn)
{
    if (auto opened = openData(); !opened)
        return opened;
    const std::int64_t atOnce = std::max<std::int64_t>(1, std::int64_t(kReadVectorBytes / sizeof(float)) / m_dimension);
    std::vector<float> numbers;
    for (std::int64_t first = 0; first < m_size; first += atOnce) {
        if (!goOn())
            return fail({ErrorKind::Interrupted, "reading the vectors was stopped", m_path, {}});
        numbers.resize(std::size_t(std::min(atOnce, m_size - first)) * std::size_t(m_dimension));
        if (!read(first, numbers))
            return fault(fmt::format("cannot be read at vector {}", first + 1), "copy the file again");
        const auto wrong = std::ranges::find_if_not(numbers, isUsable);
        if (wrong != numbers.end()) {
            const std::int64_t at = wrong - numbers.begin();
            return fault(fmt::format("has {} as number {} of vector {}", *wrong, at % m_dimension + 1,
                                     first + at / m_dimension + 1),
                         "use finite numbers up to 1e15");
        }
    }
    return {};
}

} // namespace

Expected<VectorSourcePtr> openHdf5(const std::string& path, VectorSet set, const std::function<bool()>& goOn)
{
    auto file = std::make_shared<Hdf5Source>(path, set == VectorSet::Queries ? "test" : "train");
    if (auto opened = file->open(goOn); !opened)
        return tl::unexpected(opened.error());
    return file;
}

} // namespace dyno::vectors
