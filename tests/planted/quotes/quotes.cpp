// quotes: values stock options with data from a pricing service on this machine.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace quotes {

struct Header {
    uint32_t kind, length;
};

struct Quote {
    double spot, volatility, rate;
};

struct Option {
    std::string symbol;
    double strike, years;
    int lots;
};

void send_all(int fd, const void* data, size_t length)
{
    auto bytes = static_cast<const char*>(data);
    while (length > 0) {
        ssize_t sent = ::send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0)
            throw std::runtime_error("the connection broke while sending");
        bytes += sent;
        length -= size_t(sent);
    }
}

bool receive_all(int fd, void* data, size_t length)
{
    return ::recv(fd, data, length, MSG_WAITALL) == ssize_t(length);
}

// A service with one client: it answers a symbol with its market data, which it
// works out from a made-up history of prices.
class PricingService {
public:
    PricingService()
    {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address_;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address_), size) != 0 ||
            ::listen(listener_, 1) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size) != 0)
            throw std::runtime_error("cannot listen");
        thread_ = std::thread([this] { serve(); });
    }

    ~PricingService()
    {
        thread_.join();
        ::close(listener_);
    }

    const sockaddr_in& address() const { return address_; }

private:
    static Quote market_data(const std::string& symbol)
    {
        uint32_t state = 17;
        for (char c : symbol)
            state = state * 31 + static_cast<unsigned char>(c);
        double price = 20 + state % 200, sum = 0, squares = 0;
        const int days = 500000;
        for (int day = 0; day < days; day++) {
            state = state * 1664525 + 1013904223;
            double change = ((state >> 8) / 16777216.0 - 0.5) * 0.04;
            price *= std::exp(change - change * std::fabs(change));
            sum += change;
            squares += change * change;
        }
        double variance = squares / days - (sum / days) * (sum / days);
        return {std::clamp(price, 15.0, 900.0), std::sqrt(variance * 252), 0.031};
    }

    void serve()
    {
        int fd = ::accept(listener_, nullptr, nullptr);
        Header header;
        while (receive_all(fd, &header, sizeof header)) {
            std::string symbol(header.length, ' ');
            if (!receive_all(fd, symbol.data(), symbol.size()))
                break;
            Quote quote = market_data(symbol);
            send_all(fd, &quote, sizeof quote);
        }
        ::close(fd);
    }

    int listener_;
    sockaddr_in address_{};
    std::thread thread_;
};

class Session {
public:
    explicit Session(const sockaddr_in& address) : fd_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot connect");
    }

    ~Session() { ::close(fd_); }

    Quote request(const std::string& symbol)
    {
        Header header{1, static_cast<uint32_t>(symbol.size())};
        send_all(fd_, &header, sizeof header);
        send_all(fd_, symbol.data(), symbol.size());
        Quote quote;
        if (!receive_all(fd_, &quote, sizeof quote))
            throw std::runtime_error("no quote for " + symbol);
        return quote;
    }

private:
    int fd_;
};

// An American put, on a binomial tree.
double value_put(const Option& option, const Quote& quote, int steps)
{
    double up = std::exp(quote.volatility * std::sqrt(option.years / steps));
    double discount = std::exp(-quote.rate * option.years / steps);
    double chance = (1 / discount - 1 / up) / (up - 1 / up);
    std::vector<double> values(static_cast<size_t>(steps) + 1);
    for (int i = 0; i <= steps; i++)
        values[i] = std::max(0.0, option.strike - quote.spot * std::pow(up, 2 * i - steps));
    for (int step = steps - 1; step >= 0; step--) {
        double price = quote.spot * std::pow(up, -step);
        for (int i = 0; i <= step; i++, price *= up * up)
            values[i] = std::max(option.strike - price,
                                 discount * (chance * values[i + 1] + (1 - chance) * values[i]));
    }
    return values[0];
}

std::vector<Option> make_portfolio(int count)
{
    std::vector<Option> options;
    for (int i = 0; i < count; i++) {
        std::string symbol = {char('A' + i % 26), char('A' + i / 5 % 26), char('A' + i * 7 % 26)};
        options.push_back({symbol, 40.0 + i * 37 % 160, 0.25 + i % 8 * 0.25, 1 + i % 9});
    }
    return options;
}

}  // namespace quotes

int main(int argc, char** argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 70;
    quotes::PricingService service;
    quotes::Session session(service.address());
    double total = 0;
    for (const auto& option : quotes::make_portfolio(count)) {
        quotes::Quote quote = session.request(option.symbol);
        total += option.lots * 100 * quotes::value_put(option, quote, 2000);
    }
    std::printf("%d options, worth %.2f\n", count, total);
    return 0;
}
