// Reports and CSV files on disk: replaced whole or left alone, and never spoilt where there is no room.
#include "report.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report_testing.hpp"

namespace jacobi {
namespace {

using Json = nlohmann::json;
using testing::finished_run;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// While it lives, no file of this process grows beyond `bytes`: a full disk in small.
class FileLimit {
 public:
    explicit FileLimit(std::size_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit small{bytes, old_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FileLimit() { setrlimit(RLIMIT_FSIZE, &old_); }

 private:
    rlimit old_{};
};

class ReportFiles : public ::testing::Test {
 protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "report_test.XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string path(const char* name) const { return (folder / name).string(); }
    static std::string content(const std::string& file) {
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    static void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
    static std::vector<std::string> lines(const std::string& file) {
        std::vector<std::string> found;
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) found.push_back(line);
        return found;
    }
    static std::string error_of(const std::function<void()>& work) {
        try {
            work();
        } catch (const Error& error) {
            EXPECT_FALSE(error.collective()) << "rank 0 writes alone";
            return error.what();
        }
        return "no error";
    }

    std::filesystem::path folder;
};

TEST_F(ReportFiles, ReportReplacesTheOldOneWhole) {
    const std::string file = path("run.json");
    put(file, "old");
    write_report(finished_run(), file);
    EXPECT_EQ(Json::parse(content(file))["schema"], "jacobi-report/1");
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_F(ReportFiles, ReportThatCannotBeWrittenHarmsNothing) {
    const std::string missing = path("missing/run.json");
    EXPECT_EQ(error_of([&] { write_report(finished_run(), missing); }),
              "cannot write " + missing + ": No such file or directory");

    const std::string taken = path("taken");
    std::filesystem::create_directories(taken + "/inside");
    EXPECT_NE(error_of([&] { write_report(finished_run(), taken); }).find("cannot write " + taken), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_directory(taken));
    EXPECT_FALSE(std::filesystem::exists(taken + ".part"));
}

TEST_F(ReportFiles, ReportWithoutRoomLeavesTheOldOne) {
    const std::string file = path("run.json");
    put(file, "old");
    std::string error;
    {
        const FileLimit room_for_a_part(100);
        error = error_of([&] { write_report(finished_run(), file); });
    }
    EXPECT_EQ(error, "cannot write " + file + ": File too large");
    EXPECT_EQ(content(file), "old");
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_F(ReportFiles, CsvHasOneHeaderAndAsManyFieldsInEveryLine) {
    const std::string file = path("runs.csv");
    RunRecord r = finished_run();
    append_csv(r, file);
    r.verification.error = nan;
    append_csv(r, file);
    const auto found = lines(file);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_TRUE(found[0].starts_with("date,version,git,host,ranks,")) << found[0];
    EXPECT_NE(found[1].find(",\"AVX2, 1 thread\","), std::string::npos) << "a field with a comma is quoted: " << found[1];
    EXPECT_NE(found[1].find(",PASS,"), std::string::npos);
    EXPECT_NE(found[2].find(",FAIL,"), std::string::npos) << "NaN never counts as verified";
    const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    EXPECT_EQ(commas(found[1]), commas(found[0]) + 1) << "but for the one in the device's name";
}

TEST_F(ReportFiles, CsvHeaderGoesIntoAnEmptyFile) {
    put(path("runs.csv"), "");
    append_csv(finished_run(), path("runs.csv"));
    EXPECT_EQ(lines(path("runs.csv")).size(), 2u);
}

TEST_F(ReportFiles, CsvOfOtherColumnsIsLeftAlone) {
    const std::string file = path("runs.csv");
    for (const char* other : {"a,b,c\n1,2,3\n", "x", "\n"}) {
        put(file, other);
        const std::string error = error_of([&] { append_csv(finished_run(), file); });
        EXPECT_NE(error.find("cannot append to " + file + ": its first line"), std::string::npos) << error;
        EXPECT_EQ(content(file), other);
    }
}

TEST_F(ReportFiles, CsvLineDoesNotRunIntoOneThatWasCutOff) {
    const std::string file = path("runs.csv");
    append_csv(finished_run(), file);
    const std::string whole = content(file);
    put(file, whole.substr(0, whole.size() - 5));
    append_csv(finished_run(), file);
    EXPECT_EQ(lines(file).size(), 3u);
    EXPECT_TRUE(content(file).ends_with(whole.substr(whole.size() - 20)));
}

TEST_F(ReportFiles, CsvWithoutRoomIsLeftAsItWas) {
    const std::string file = path("runs.csv");
    append_csv(finished_run(), file);
    const std::string before = content(file);
    std::string error;
    {
        const FileLimit room_for_a_part(before.size() + 20);
        error = error_of([&] { append_csv(finished_run(), file); });
    }
    EXPECT_EQ(error, "cannot append to " + file + ": File too large");
    EXPECT_EQ(content(file), before);
    EXPECT_NE(error_of([&] { append_csv(finished_run(), "/dev/full"); }).find("No space left on device"), std::string::npos);
}

}  // namespace
}  // namespace jacobi
