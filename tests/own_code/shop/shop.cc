// A program whose work is done in templates of the library, in lambdas and in inlined functions.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "shop.h"

namespace shop {

struct Item {
    std::string name;
    long price;
};

class Index {
public:
    void add(const Item &item) {
        by_name_[item.name].push_back(item);
        count_ += mix(item.price);
    }
    long total() const {
        long sum = 0;
        for (const auto &[name, items] : by_name_) sum += fold(items);
        return sum;
    }

private:
    template <class Items> static long fold(const Items &items) {
        auto add = [](long sum, const Item &item) { return sum + mix(item.price); };
        return std::accumulate(items.begin(), items.end(), 0L, add);
    }
    std::unordered_map<std::string, std::vector<Item>> by_name_;
    long count_ = 0;
};

std::vector<Item> make(int count) {
    std::vector<Item> items;
    for (int i = 0; i < count; i++)
        items.push_back({"item number " + std::to_string(i * 7919 % 5003), i % 1000});
    return items;
}

template <class T, class By> void sort_by(std::vector<T> &all, By by) {
    std::sort(all.begin(), all.end(), [&](const T &a, const T &b) { return by(a) < by(b); });
}

}  // namespace shop

int main() {
    long sum = 0;
    for (int round = 0; round < 6; round++) {
        auto items = shop::make(60000);
        shop::Index index;
        for (const auto &item : items) index.add(item);
        sum += index.total();
        shop::sort_by(items, [](const shop::Item &item) { return item.name; });
        std::map<std::string, long> tree;
        std::function<void(const shop::Item &)> put = [&](const shop::Item &item) {
            tree[item.name] += item.price;
        };
        for (const auto &item : items) put(item);
        sum += tree.size() + items[0].price;
    }
    std::printf("%ld\n", sum);
}
