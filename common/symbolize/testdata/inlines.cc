// Functions that are put into others: each is called from one place, or is small.
//
// c++ -O2 -g -nostdlib -shared -fPIC -o inlines inlines.cc

namespace shop {

struct Basket {
    double prices[4];

    template <typename Each> inline void each(Each function) const {
        for (double price : prices) function(price);
    }

    inline double total() const {
        double sum = 0;
        each([&sum](double price) { sum += price; });
        return sum;
    }
};

static inline double twice(double number) { return number * 2; }

static inline double tax(const Basket &basket) {
    return twice(basket.total()) / 7;
}

}  // namespace shop

extern "C" double bill(const shop::Basket &basket) {
    return shop::tax(basket) + shop::twice(basket.prices[0]);
}

double plain(double number) { return shop::twice(number) + 1; }
