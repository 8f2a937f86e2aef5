// What jacobi --list says of the transports, on machines that tests do not run on.
#include "machine.hpp"

#include <gtest/gtest.h>

#include "transport/message_transport.hpp"

namespace jacobi {
namespace {

std::string never(const MessageContext&) { return {}; }
std::unique_ptr<MessageTransport> make(const MessageContext&) { return nullptr; }

TEST(TransportLine, SaysWhatCanBeUsedHere) {
    const TransportKind any{"mpi", true, "", "messages", never, make}, cuda{"nccl", false, "cuda", "between GPUs", never, make};
    EXPECT_EQ(transport_line(any, "no device is visible"), "  mpi    messages\n");
    EXPECT_EQ(transport_line(cuda, ""), "  nccl   between GPUs\n");
    EXPECT_EQ(transport_line(cuda, "no device is visible"), "  nccl   between GPUs: not usable, no device is visible\n");
    const TransportKind lacking{"nccl", false, "cuda", "between GPUs", never, nullptr};
    EXPECT_EQ(transport_line(lacking, ""), "  nccl   between GPUs: not in this build\n");
}

TEST(TransportLine, NcclNeedsADevice) {
    for (const auto* kinds : {&message_transports(), &lacking_transports()}) {
        for (const TransportKind& kind : *kinds)
            EXPECT_STREQ(kind.backend, kind.name == std::string("nccl") ? "cuda" : "") << kind.name;
    }
}

}  // namespace
}  // namespace jacobi
