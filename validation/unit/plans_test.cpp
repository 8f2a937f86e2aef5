// Plans that are kept from run to run: what is taken, what is measured again, and that nothing in the cache can be in the way.
#include "plans.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace jacobi {
namespace {

namespace fs = std::filesystem;

const Plan good{{"chunk", 5}, {"strips", 1}};
const PlanKey a_key{"Some GPU 512x512x512 double depth 1", {{"cells", "512x512x512"}, {"device", "Some GPU"}}};

class KeptPlans : public ::testing::Test {
 protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "plans_test.XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = fs::path(pattern) / "jacobi" / "plans";
    }
    void TearDown() override { fs::remove_all(folder.parent_path().parent_path()); }

    Plans cache(const std::string& program = "1.0", bool reads = true) const {
        return Plans::cached(folder.string(), program, reads);
    }
    /// A run: `measured` is what it would measure, `fits` whether plans from elsewhere fit. In use afterwards: `used`.
    PlanOrigin run(const Plans& plans, const PlanKey& key = a_key, const Plan& measured = good, bool fits = true) {
        used.clear();
        return plans.choose(
            key,
            [&](const Plan& plan) {
                if (fits) used = plan;
                return fits;
            },
            [&] { return used = measured; });
    }
    void put(const std::string& text) const {
        fs::create_directories(folder);
        std::ofstream(cache().path(a_key), std::ios::binary) << text;
    }
    std::string content() const {
        std::stringstream text;
        text << std::ifstream(cache().path(a_key)).rdbuf();
        return text.str();
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    fs::path folder;
    Plan used;
};

TEST_F(KeptPlans, AreTakenByTheNextRun) {
    const PlanOrigin first = run(cache());
    EXPECT_EQ(first.source, "measured");
    EXPECT_EQ(first.reason, "none was kept");
    EXPECT_EQ(first.file, cache().path(a_key));
    EXPECT_TRUE(fs::is_regular_file(first.file));
    EXPECT_EQ(files(), 1u) << "nothing beside it";

    const PlanOrigin second = run(cache(), a_key, {{"chunk", 9}});
    EXPECT_EQ(second.source, "cached");
    EXPECT_EQ(second.file, first.file);
    EXPECT_EQ(used, good);
}

TEST_F(KeptPlans, AreMeasuredAnewAndReplacedOnDemand) {
    run(cache());
    const PlanOrigin again = run(cache("1.0", false), a_key, {{"chunk", 9}});
    EXPECT_EQ(again.source, "measured");
    EXPECT_EQ(again.reason, "asked for");
    run(cache());
    EXPECT_EQ(used, (Plan{{"chunk", 9}}));
}

TEST_F(KeptPlans, AreNotKeptUnlessAskedFor) {
    const PlanOrigin origin = run(Plans());
    EXPECT_EQ(origin.source, "measured");
    EXPECT_EQ(origin.file, "");
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(KeptPlans, HaveAFileForEachKey) {
    run(cache());
    PlanKey other = a_key;
    other.facts["device"] = "Another GPU";
    EXPECT_NE(cache().path(other), cache().path(a_key)) << "the title need not tell";
    EXPECT_EQ(run(cache(), other, {{"chunk", 9}}).source, "measured");
    EXPECT_EQ(run(cache()).source, "cached");
    EXPECT_EQ(used, good);
    EXPECT_EQ(files(), 2u);

    other.title = "../../\xff" + std::string(300, '/');
    EXPECT_EQ(fs::path(cache().path(other)).parent_path(), folder) << "no title leaves the folder";
    EXPECT_EQ(run(cache(), other).source, "measured");
    EXPECT_EQ(run(cache(), other).source, "cached");
}

/// As two keys of one hash would.
TEST_F(KeptPlans, OfAnotherKeyAreNotTaken) {
    PlanKey other = a_key;
    other.facts["cells"] = "64x64x64";
    run(cache(), other);
    fs::copy_file(cache().path(other), cache().path(a_key));
    EXPECT_EQ(run(cache()).reason, "the one kept is for something else");
    EXPECT_EQ(run(cache()).source, "cached");
}

TEST_F(KeptPlans, OfAnotherVersionAreReplaced) {
    run(cache("1.0"));
    EXPECT_EQ(run(cache("1.1")).reason, "the one kept is of another version");
    EXPECT_EQ(run(cache("1.1")).source, "cached");
    EXPECT_EQ(files(), 1u) << "versions do not pile up";
}

TEST_F(KeptPlans, ThatDoNotFitAreReplaced) {
    run(cache());
    const PlanOrigin origin = run(cache(), a_key, {{"chunk", 9}}, false);
    EXPECT_EQ(origin.source, "measured");
    EXPECT_EQ(origin.reason, "the one kept does not fit");
    EXPECT_EQ(origin.refusal, "") << "it is nobody's fault";
    EXPECT_EQ(run(cache()).source, "cached");
    EXPECT_EQ(used, (Plan{{"chunk", 9}}));
}

TEST_F(KeptPlans, SurviveWhateverStandsInTheirPlace) {
    run(cache());
    const std::string whole = content();
    const auto with = [&](const std::string& part, const std::string& instead) {
        std::string text = whole;
        const auto at = text.find(part);
        EXPECT_NE(at, std::string::npos) << part;
        return text.replace(at, part.size(), instead);
    };
    for (const std::string& text : {std::string(),
                                    std::string("{"),
                                    std::string("null"),
                                    std::string("[1, 2]"),
                                    std::string("17"),
                                    std::string("\xff\xfe\0\1", 4),
                                    std::string(20000, '['),
                                    std::string(100000, ' ') + whole,
                                    whole.substr(0, whole.size() / 2),
                                    with("jacobi-plan/1", "jacobi-plan/2"),
                                    with("\"schema\"", "\"scheme\""),
                                    with("\"schema\": \"jacobi-plan/1\"", "\"schema\": {}"),
                                    with("\"plan\"", "\"plans\""),
                                    with("\"chunk\": 5", "\"chunk\": \"5\""),
                                    with("\"chunk\": 5", "\"chunk\": 5.5"),
                                    with("\"chunk\": 5", "\"chunk\": -5"),
                                    with("\"chunk\": 5", "\"chunk\": 2147483648"),
                                    with("\"chunk\": 5", "\"chunk\": 18446744073709551615"),
                                    with("\"chunk\": 5", "\"chunk\": null"),
                                    with("\"key\"", "\"keys\""),
                                    with("512x512x512", "512x512x513"),
                                    with("\"program\"", "\"programs\""),
                                    with("\"1.0\"", "1.0")}) {
        SCOPED_TRACE(text.substr(0, 200));
        put(text);
        EXPECT_EQ(run(cache()).source, "measured");
        EXPECT_EQ(content(), whole) << "replaced";
        EXPECT_EQ(run(cache()).source, "cached");
    }
    EXPECT_EQ(files(), 1u);

    fs::remove(cache().path(a_key));
    fs::create_directories(fs::path(cache().path(a_key)) / "a folder");
    const PlanOrigin origin = run(cache());
    EXPECT_EQ(origin.reason, "none was kept; cannot be kept: Is a directory");
    EXPECT_EQ(origin.file, "");
    EXPECT_EQ(files(), 1u) << "no half a file";
}

TEST_F(KeptPlans, AreNotKeptWhereTheFolderCannotBeWritten) {
    fs::create_directories(folder.parent_path());
    std::ofstream(folder.string()) << "a file";
    PlanOrigin origin = run(cache());
    EXPECT_EQ(origin.source, "measured");
    EXPECT_TRUE(origin.reason.starts_with("none was kept; cannot be kept: ")) << origin.reason;
    EXPECT_EQ(used, good);
    origin = run(Plans::cached("/proc/jacobi/plans", "1.0", true));  // where not even root can write
    EXPECT_TRUE(origin.reason.starts_with("none was kept; cannot be kept: ")) << origin.reason;
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{10, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    origin = run(Plans::cached(folder.parent_path().string(), "1.0", true));
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(origin.reason, "none was kept; cannot be kept: File too large");
    origin = run(Plans::cached("", "1.0", true));
    EXPECT_TRUE(origin.reason.starts_with("nowhere to keep plans: ")) << origin.reason;
    EXPECT_EQ(origin.source + origin.file, "measured");
}

TEST_F(KeptPlans, OfProcessesThatWriteAtOnceAreWholeForReaders) {
    constexpr int writers = 4, times = 300;
    for (int w = 0; w < writers; ++w) {
        if (fork() != 0) continue;
        for (int i = 0; i < times; ++i) run(cache("1.0", false), a_key, {{"chunk", 1000 * w + i}, {"strips", 1000 * w + i}});
        _exit(0);
    }
    int seen = 0, measured = 0, left = writers;
    while (left > 0) {
        const PlanOrigin origin = Plans::cached(folder.string(), "1.0", true)
                                      .choose(
                                          a_key,
                                          [&](const Plan& plan) {
                                              EXPECT_EQ(plan.size(), 2u);
                                              EXPECT_EQ(plan.at("chunk"), plan.at("strips"));
                                              return ++seen > 0;
                                          },
                                          [] {
                                              return Plan{{"chunk", 1}, {"strips", 1}};
                                          });
        if (origin.source == "measured") ++measured;
        EXPECT_EQ(origin.reason, origin.source == "measured" ? "none was kept" : "");
        int status = 0;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            EXPECT_EQ(status, 0);
            --left;
        }
    }
    EXPECT_GT(seen, 0);
    EXPECT_LE(measured, 1) << "before the first was written";
    EXPECT_EQ(files(), 1u);
}

TEST_F(KeptPlans, GivenOnesFitOrAreRefused) {
    PlanOrigin origin = run(Plans::given("my plan.json", {{"chunk", 3}}));
    EXPECT_EQ(origin.source, "given");
    EXPECT_EQ(origin.file, "my plan.json");
    EXPECT_EQ(origin.refusal, "");
    EXPECT_EQ(used, (Plan{{"chunk", 3}}));
    origin = run(Plans::given("my plan.json", {{"chunk", 3}}), a_key, good, false);
    EXPECT_NE(origin.refusal.find("my plan.json does not fit Some GPU 512x512x512"), std::string::npos) << origin.refusal;
    EXPECT_EQ(used, good) << "passes have a shape anyway";
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(KeptPlans, CanBeGiven) {
    run(cache());
    std::string fault;
    EXPECT_EQ(read_plan(content(), fault), good) << fault;
    EXPECT_EQ(read_plan("{\"schema\": \"jacobi-plan/1\", \"plan\": {\"chunk\": 5, \"strips\": 1}}", fault), good)
        << "written by hand";
}

}  // namespace
}  // namespace jacobi
