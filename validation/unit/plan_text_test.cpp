// What the text of a plan must be, and in which folder plans are kept.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "plans.hpp"

namespace jacobi {
namespace {

TEST(ReadPlan, SaysWhatIsWrong) {
    const auto fault = [](const std::string& text) {
        std::string said;
        EXPECT_FALSE(read_plan(text, said)) << text;
        return said;
    };
    const auto starts = [&](const std::string& text, const std::string& start) {
        EXPECT_EQ(fault(text).substr(0, start.size()), start);
        EXPECT_EQ(fault(text).find('\n'), std::string::npos) << "one line";
    };
    starts("schema: jacobi-plan/1", "not valid JSON: parse error at line 1, column 1: ");
    starts("{\n\"plan\": }", "not valid JSON: parse error at line 2, column 9: ");
    const std::string expected = "expected an object with \"schema\": \"jacobi-plan/1\", found ";
    EXPECT_EQ(fault("[1]"), expected + "no object but array");
    EXPECT_EQ(fault("{\"plan\": {\"chunk\": 5}}"), expected + "none");
    EXPECT_EQ(fault("{\"schema\": \"jacobi-plan/2\"}"), expected + "\"jacobi-plan/2\"");
    EXPECT_EQ(fault("{\"schema\": {}}"), expected + "object");
    EXPECT_EQ(fault("{\"schema\": \"jacobi-plan/1\", \"plan\": {\"chunk\": true}}"),
              "expected \"plan\": an object of integers >= 0");
    EXPECT_EQ(fault("{\"schema\": \"jacobi-plan/1\"}"), "expected \"plan\": an object of integers >= 0");
    starts(std::string(70000, ' '), "longer than 64 KiB");
}

TEST(PlanFolder, IsTheUsersCache) {
    const auto folder = [](const char* cache, const char* home) {
        for (const auto& [name, value] : {std::pair{"XDG_CACHE_HOME", cache}, {"HOME", home}}) {
            value == nullptr ? unsetenv(name) : setenv(name, value, 1);
        }
        return plan_folder();
    };
    const auto value = [](const char* name) {
        const char* text = std::getenv(name);
        return std::string(text != nullptr ? text : "");
    };
    const std::string cache = value("XDG_CACHE_HOME"), home = value("HOME");
    EXPECT_EQ(folder("/var/c", "/home/me"), "/var/c/jacobi/plans");
    EXPECT_EQ(folder(nullptr, "/home/me"), "/home/me/.cache/jacobi/plans");
    EXPECT_EQ(folder("", "/home/me"), "/home/me/.cache/jacobi/plans");
    EXPECT_EQ(folder("c", "/home/me"), "/home/me/.cache/jacobi/plans") << "relative ones do not count (XDG)";
    EXPECT_EQ(folder("c", "home"), "");
    EXPECT_EQ(folder(nullptr, nullptr), "");
    folder(cache.empty() ? nullptr : cache.c_str(), home.empty() ? nullptr : home.c_str());
}

}  // namespace
}  // namespace jacobi
