// watershed: floods a made-up landscape from its lakes and reports how the
// land divides into basins. The land is sparse: only visited cells are stored.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <queue>
#include <unordered_map>
#include <vector>

namespace watershed {

struct Cell {
    int x, y;
    bool operator==(const Cell& other) const { return x == other.x && y == other.y; }
};

struct CellHash {
    size_t operator()(const Cell& cell) const noexcept
    {
        return std::hash<int>()(cell.x) ^ std::hash<int>()(cell.y);
    }
};

struct Flooded {
    float level;
    int basin;
};

struct Front {
    float level;
    Cell cell;
    int basin;
    bool operator<(const Front& other) const { return level > other.level; }
};

// Value noise with a few octaves: hills, valleys and gravel.
class Landscape {
public:
    explicit Landscape(uint32_t seed) : seed_(seed) {}

    float height(Cell cell) const
    {
        float sum = 0, amplitude = 400;
        for (int octave = 0, scale = 96; octave < 8; octave++, scale = std::max(1, scale / 2)) {
            sum += amplitude * smooth(float(cell.x) / scale, float(cell.y) / scale, octave);
            amplitude *= 0.5f;
        }
        return sum;
    }

private:
    float knot(int x, int y, int octave) const
    {
        uint32_t h = seed_ + uint32_t(x) * 374761393u + uint32_t(y) * 668265263u + octave * 974711u;
        h = (h ^ h >> 13) * 1274126177u;
        return float((h ^ h >> 16) & 0xffff) / 65536.0f;
    }

    float smooth(float x, float y, int octave) const
    {
        int left = int(std::floor(x)), top = int(std::floor(y));
        float u = x - left, v = y - top;
        u = u * u * (3 - 2 * u);
        v = v * v * (3 - 2 * v);
        float above = knot(left, top, octave) * (1 - u) + knot(left + 1, top, octave) * u;
        float below = knot(left, top + 1, octave) * (1 - u) + knot(left + 1, top + 1, octave) * u;
        return above * (1 - v) + below * v;
    }

    uint32_t seed_;
};

class Flood {
public:
    Flood(const Landscape& land, int size) : land_(land), size_(size) {}

    // Lowest cell of every square of the given side becomes a lake.
    void place_lakes(int side)
    {
        for (int top = 0; top < size_; top += side)
            for (int left = 0; left < size_; left += side) {
                Cell lowest{left, top};
                for (int y = top; y < std::min(size_, top + side); y++)
                    for (int x = left; x < std::min(size_, left + side); x++)
                        if (land_.height({x, y}) < land_.height(lowest))
                            lowest = {x, y};
                front_.push({land_.height(lowest), lowest, lakes_++});
            }
    }

    void run()
    {
        while (!front_.empty()) {
            Front next = front_.top();
            front_.pop();
            if (settle(next))
                spread(next);
        }
    }

    std::vector<int> basin_sizes() const
    {
        std::vector<int> sizes(lakes_);
        for (const auto& [cell, flooded] : cells_)
            sizes[flooded.basin]++;
        return sizes;
    }

    // The lowest level at which water passes from one basin to another.
    std::map<std::pair<int, int>, float> passes() const
    {
        std::map<std::pair<int, int>, float> lowest;
        for (const auto& [cell, here] : cells_) {
            auto there = cells_.find({cell.x + 1, cell.y});
            if (there == cells_.end() || there->second.basin == here.basin)
                continue;
            auto pair = std::minmax(here.basin, there->second.basin);
            float level = std::max(here.level, there->second.level);
            auto [pass, fresh] = lowest.try_emplace({pair.first, pair.second}, level);
            if (!fresh)
                pass->second = std::min(pass->second, level);
        }
        return lowest;
    }

private:
    bool inside(Cell c) const { return c.x >= 0 && c.y >= 0 && c.x < size_ && c.y < size_; }

    bool settle(const Front& front)
    {
        return cells_.try_emplace(front.cell, Flooded{front.level, front.basin}).second;
    }

    void spread(const Front& from)
    {
        const Cell c = from.cell;
        for (Cell next : {Cell{c.x + 1, c.y}, Cell{c.x - 1, c.y}, Cell{c.x, c.y + 1}, Cell{c.x, c.y - 1}})
            if (inside(next) && cells_.count(next) == 0)
                front_.push({std::max(from.level, land_.height(next)), next, from.basin});
    }

    const Landscape& land_;
    int size_;
    int lakes_ = 0;
    std::priority_queue<Front> front_;
    std::unordered_map<Cell, Flooded, CellHash> cells_;
};

void report(const Flood& flood)
{
    std::vector<int> sizes = flood.basin_sizes();
    auto passes = flood.passes();
    std::sort(sizes.rbegin(), sizes.rend());
    std::printf("%zu basins, the largest of", sizes.size());
    for (size_t i = 0; i < std::min<size_t>(5, sizes.size()); i++)
        std::printf(" %d", sizes[i]);
    std::printf(" cells; %zu passes", passes.size());
    auto lowest = std::min_element(passes.begin(), passes.end(),
                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    if (lowest != passes.end())
        std::printf(", the lowest at %.1f m", lowest->second);
    std::printf("\n");
}

}  // namespace watershed

int main(int argc, char** argv)
{
    int size = argc > 1 ? std::atoi(argv[1]) : 500;
    watershed::Landscape land(2024);
    watershed::Flood flood(land, size);
    flood.place_lakes(50);
    flood.run();
    watershed::report(flood);
    return 0;
}
