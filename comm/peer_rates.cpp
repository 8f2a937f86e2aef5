#include "peer_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backend.hpp"

namespace jacobi {

namespace {

constexpr double seconds_each = 0.015;
constexpr std::size_t most_bytes = std::size_t{8} << 20;  // of a copy or a face: more would say no more
constexpr double none = std::numeric_limits<double>::infinity();

class Measurement {
 public:
    Measurement(const Topology& topology, const Decomposition& decomposition, const std::vector<Edge>& edges,
                const ArenaLayout& layout, PeerMemory& memory, Backend& backend)
        : topology_(topology), decomposition_(decomposition), layout_(layout), memory_(memory), backend_(backend) {
        // Neighbours' memory where any rank maps some, else the own: the same on all ranks.
        int kind = 0;
        for (const Edge& e : edges) {
            if (e.peer != nullptr) kind = std::max(kind, e.self() ? 1 : 2);
        }
        kind = agreed(kind, MPI_MAX);
        if (kind > 0) rates_.memory = kind == 2 ? memory.transport() : "self";
        for (const Edge& e : edges) {
            if (e.peer != nullptr && e.self() == (kind == 1)) edges_.push_back(e);
        }
        std::array<int, 3> met{};
        for (int axis = 0; axis < 3; ++axis) met[axis] = agreed(partner_on(axis) != nullptr ? 1 : 0, MPI_MAX);
        // A face is stored into the neighbour across it, or, where no rank has one, into another.
        const auto other = std::find(met.rbegin(), met.rend(), 1);
        for (int axis = 0; axis < 3; ++axis) {
            if (other == met.rend()) {
                partner_[axis] = edges_.empty() ? nullptr : &edges_.front();
                continue;
            }
            partner_[axis] = partner_on(met[axis] != 0 ? axis : static_cast<int>(met.rend() - other) - 1);
        }
    }

    bool possible() const { return !rates_.memory.empty(); }

    void copies() {
        const Edge* e = partner_[2] != nullptr ? partner_[2] : partner_[1] != nullptr ? partner_[1] : partner_[0];
        rates_.copy_gbs = slowest([&] {
            if (e == nullptr) return none;
            const ArenaLayout there = layout_of(*e);
            const std::size_t bytes = std::min({layout_.field.bytes, there.field.bytes, most_bytes}) / 4096 * 4096;
            if (bytes == 0) return none;
            // Counts what is read and what is written.
            return backend_.copy_bandwidth(memory_.own() + layout_.fields[0], e->peer + there.fields[1], bytes, seconds_each) / 2;
        });
    }

    void stores() {
        for (int axis = 0; axis < 3; ++axis) {
            rates_.store_gbs[axis] = slowest([&] {
                if (partner_[axis] == nullptr) return none;
                const Edge& e = *partner_[axis];
                const ArenaLayout there = layout_of(e);
                Index3 extent;  // of this block's face, as far as it fits into that one's
                for (int a = 0; a < 3; ++a) extent[a] = std::min(layout_.field.extent[a], there.field.extent[a]);
                const Index halo = axis == 0   ? there.field.x_halo(0).first
                                   : axis == 1 ? there.field.at(0, -1, 0)
                                               : there.field.at(0, 0, -1);
                const auto element = static_cast<std::size_t>(halo);
                // Full rows of 16-byte stores start on 16 bytes, as those of halos do.
                std::byte* const cell = e.peer + element * there.field.element;
                return backend_.store_bandwidth({cell + there.fields[0], cell + there.fields[1]},
                                                face_rows(there.field, extent, axis).at_most(most_bytes), seconds_each);
            });
        }
    }

    /// A round on all links at once. The words are the probe's lines, which nobody needs any more.
    void flags(const std::string& no_flags, double timeout_s) {
        rates_.reason = first_text(no_flags);
        if (!rates_.reason.empty()) return;
        FlagLinks links;
        links.timeout_s = std::min(timeout_s, 2.0);
        for (const Edge& e : edges_) {
            FlagLinks::Link link;
            link.direction = e.direction;
            link.own = reinterpret_cast<const Generation*>(memory_.own() + ArenaLayout::probe(e.direction));
            link.there = reinterpret_cast<Generation*>(e.peer + ArenaLayout::probe(e.direction.opposite()));
            link.self = e.self();
            links.links.push_back(link);
        }
        backend_.zero(memory_.own() + ArenaLayout::probes, ArenaLayout::tiles - ArenaLayout::probes);
        // The first rounds tell how many fill the time: all ranks must do as many. Ranks that share cores may need all of it for
        // those few.
        constexpr int some = 5, most = 2000;
        double seconds = rounds(links, 0, some);
        if (seconds * some < seconds_each && rates_.reason.empty()) {
            seconds = rounds(links, some, static_cast<int>(std::min<double>(seconds_each / std::max(seconds, 1e-9), most)));
        }
        if (rates_.reason.empty()) rates_.flag_us = seconds * 1e6;
    }

    PeerRates result() const { return rates_; }

 private:
    int agreed(int value, MPI_Op op) const {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, op, topology_.world.get());
        return value;
    }
    std::string first_text(const std::string& mine) const {
        for (const std::string& text : gather_texts(topology_.world.get(), mine)) {
            if (!text.empty()) return text;
        }
        return {};
    }

    /// The edge to the rank that this one makes a pair with along an axis: even coordinates look up, odd ones down; the last of
    /// an odd number has none.
    const Edge* partner_on(int axis) const {
        const int coordinate = decomposition_.coordinates(topology_.rank())[axis], count = decomposition_.ranks[axis];
        const bool even = coordinate % 2 == 0;
        if (even && coordinate + 1 == count && count > 1) return nullptr;
        const Direction direction = Direction::face(2 * axis + (even ? 1 : 0));
        const auto e = std::find_if(edges_.begin(), edges_.end(), [&](const Edge& edge) { return edge.direction == direction; });
        return e == edges_.end() ? nullptr : &*e;
    }
    ArenaLayout layout_of(const Edge& e) const { return layout_.with(decomposition_.block(e.neighbour).extent()); }

    /// 1e9 bytes a second of the slowest of the ranks that measure; 0: none did.
    template <class Work>
    double slowest(Work&& bytes_a_second) const {
        memory_.fence();
        MPI_Barrier(topology_.world.get());
        double rate = bytes_a_second();
        MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MIN, topology_.world.get());
        return rate == none ? 0 : rate * 1e-9;
    }

    /// Seconds a round, the largest; sets the reason where a flag has not come.
    double rounds(const FlagLinks& links, Generation first, int count) {
        memory_.fence();
        MPI_Barrier(topology_.world.get());  // all words are zero, or what the rounds before left
        const FlagRounds mine = links.links.empty() ? FlagRounds{} : backend_.flag_rounds(links, first, count);
        std::string fault;
        if (mine.timeout) {
            for (const Edge& e : edges_) {
                if (e.direction == mine.timeout->direction) {
                    fault = fmt::format("a flag of rank {} ({}) has not arrived at rank {} within {} s", e.neighbour,
                                        name(e.direction), e.rank, links.timeout_s);
                }
            }
        }
        rates_.reason = first_text(fault);
        double seconds = mine.seconds;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, topology_.world.get());
        return seconds;
    }

    const Topology& topology_;
    const Decomposition& decomposition_;
    const ArenaLayout& layout_;
    PeerMemory& memory_;
    Backend& backend_;
    std::vector<Edge> edges_;               ///< those that are measured
    std::array<const Edge*, 3> partner_{};  ///< by axis of the face; null: this rank has none
    PeerRates rates_;
};

}  // namespace

PeerRates measure_peer_rates(const Topology& topology, const Decomposition& decomposition, const std::vector<Edge>& edges,
                             const ArenaLayout& layout, PeerMemory& memory, Backend& backend, const std::string& no_flags,
                             double timeout_s) {
    Measurement measurement(topology, decomposition, edges, layout, memory, backend);
    if (!measurement.possible()) {
        PeerRates rates;
        rates.reason = "no rank has a neighbour whose memory it maps";
        return rates;
    }
    measurement.copies();
    measurement.stores();
    measurement.flags(no_flags, timeout_s);
    return measurement.result();
}

}  // namespace jacobi
