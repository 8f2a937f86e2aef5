#include <algorithm>
#include <limits>

#include "backend.hpp"

namespace jacobi {

TileGrid choose_tiles(int limit, Index rows, Index planes) {
    const int most = std::min(limit, TileGrid::most);
    TileGrid best;
    Index least = std::numeric_limits<Index>::max();
    for (int y = 1; y <= most && y <= rows; ++y) {
        const int z = static_cast<int>(std::min<Index>(most / y, planes));
        const Index tile_rows = (rows + y - 1) / y, tile_planes = (planes + z - 1) / z;
        const Index cost =
            (tile_rows + 1) * (tile_planes + 1);  // the largest tile; a rim cell counts half, being read and not written
        if (cost < least) least = cost, best = {y, z};
    }
    return best;
}

}  // namespace jacobi
