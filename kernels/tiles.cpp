#include <algorithm>
#include <limits>
#include <utility>

#include "backend.hpp"

namespace jacobi {

TileGrid choose_tiles(const TileLimits& limits, Index rows, Index planes) {
    const int most = std::min(limits.count, TileGrid::most);
    TileGrid best;
    std::pair<bool, Index> least{true, std::numeric_limits<Index>::max()};
    for (int y = 1; y <= most && y <= rows; ++y) {
        const int z = static_cast<int>(std::min<Index>(most / y, planes));
        const Index tile_rows = (rows + y - 1) / y, tile_planes = (planes + z - 1) / z;
        // The largest tile; a rim cell counts half, being read and not written.
        const std::pair cost{tile_rows > limits.rows || tile_planes > limits.planes, (tile_rows + 1) * (tile_planes + 1)};
        if (cost < least) least = cost, best = {y, z};
    }
    return best;
}

}  // namespace jacobi
