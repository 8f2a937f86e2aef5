// One way of sharing memory between two ranks of a node, as the pair's examination drives it. One file a way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "examination.hpp"
#include "mail.hpp"
#include "memory/shared_window.hpp"

namespace jacobi::doctor {

/// As the leader of a pair measures them; nothing on the other one.
struct FlagTimes {
    int round_trips = 0;
    double microseconds_one_way = 0;
};

/// Each rank has a piece of memory with data and a line of flags for every other. The calls after connect() concern the partner
/// of the last connect(). All throw Error with the reason when they fail, or when the talk's deadline passes.
class PairMemory {
 public:
    virtual ~PairMemory() = default;
    virtual const char* transport() const = 0;
    /// Opens the partner's memory and, where there are some, its events; fills in `access`, `native_atomics` and `event`.
    virtual void connect(int node_rank, const Talk& talk, PairResult& result) = 0;
    /// Overwrites the own data with what no pattern has.
    virtual void clear(const Talk& talk) = 0;
    /// Fills the partner's data with words pattern, pattern + 1, ... by stores; GB/s.
    virtual double store(std::uint64_t pattern, const Talk& talk) = 0;
    /// The same by copying own, private memory; GB/s.
    virtual double copy(std::uint64_t pattern, const Talk& talk) = 0;
    /// Words of the own data, as this rank sees them, that differ from the pattern.
    virtual std::uint64_t wrong_words(std::uint64_t pattern, const Talk& talk) = 0;
    virtual std::uint64_t words() const = 0;
    /// Flags to and fro with a partner that does the same. Both are 64-bit words that only grow. A flag may take a quarter of the
    /// talk's time.
    virtual FlagTimes exchange_flags(const Talk& talk) = 0;
    /// Lets go of what was opened; local.
    virtual void close() {}
};

inline constexpr std::size_t flag_line = 128;              ///< bytes between flags: no two writers share a line
inline constexpr std::int64_t last_flag = 1ll << 40;       ///< the leader's last one: the other answers it and stops
inline constexpr std::int64_t abandoned_flag = 1ll << 41;  ///< its writer has given up

/// Of each rank's piece of the host window.
std::size_t host_window_bytes(int node_ranks);
/// Host memory, in a window of host_window_bytes() each. `spins`: polls before a waiting rank yields its core.
std::unique_ptr<PairMemory> make_host_memory(const SharedWindow& window, int node_rank, int node_ranks, int spins);

/// What a rank that drives a device offers to the others of its node; travels in a roll call.
struct DeviceOffer {
    std::string record;        ///< its peer record as hexadecimal digits; empty: it has none
    std::string refusal;       ///< why not
    std::string uuid;          ///< of its device; empty: it has none
    bool takes_turns = false;  ///< several ranks on the device, and no MPS: their kernels take turns
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceOffer, record, refusal, uuid, takes_turns)

class DeviceMemory : public PairMemory {
 public:
    virtual DeviceOffer offer() const = 0;
    /// Those of all ranks of the node, by node rank.
    virtual void accept(std::vector<DeviceOffer> offers) = 0;
    /// Gives the memory back, when all ranks have closed.
    virtual void free() = 0;
};

#if defined(JACOBI_WITH_CUDA)
/// Memory of the rank's device, shared by CUDA IPC. Throws Error when it cannot be had.
std::unique_ptr<DeviceMemory> make_cuda_memory(const RankFacts& mine, int node_rank, int node_ranks);
#endif

}  // namespace jacobi::doctor
