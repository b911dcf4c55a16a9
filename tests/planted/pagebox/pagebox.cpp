// pagebox: lays out a page of nested boxes for many widths of the window and
// paints some of them; prints a checksum of each picture.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pagebox {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Box {
    int x = 0, y = 0, width = 0, height = 0;
};

class Element {
public:
    explicit Element(Attributes attributes) : attributes_(std::move(attributes)) {}

    Attributes attributes() const { return attributes_; }
    const std::vector<std::unique_ptr<Element>>& children() const { return children_; }
    Box& box() { return box_; }

    Element* append(std::unique_ptr<Element> child)
    {
        children_.push_back(std::move(child));
        return children_.back().get();
    }

private:
    Attributes attributes_;
    std::vector<std::unique_ptr<Element>> children_;
    Box box_;
};

// Reads elements of the form <tag name="value" ...> ... </tag>.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::unique_ptr<Element> parse()
    {
        auto root = std::make_unique<Element>(Attributes{});
        std::vector<Element*> open{root.get()};
        size_t at = 0;
        while ((at = text_.find('<', at)) != std::string_view::npos) {
            size_t end = text_.find('>', at);
            std::string_view inside = text_.substr(at + 1, end - at - 1);
            if (inside.front() == '/')
                open.pop_back();
            else
                open.push_back(open.back()->append(element(inside)));
            at = end;
        }
        return root;
    }

private:
    static std::unique_ptr<Element> element(std::string_view inside)
    {
        Attributes attributes;
        for (size_t at = std::min(inside.find(' '), inside.size()); at < inside.size();) {
            size_t equals = inside.find('=', at), close = inside.find('"', equals + 2);
            attributes.emplace(inside.substr(at + 1, equals - at - 1),
                               inside.substr(equals + 2, close - equals - 2));
            at = close + 1;
        }
        return std::make_unique<Element>(std::move(attributes));
    }

    std::string_view text_;
};

std::string make_page(int rows)
{
    std::string page;
    char line[256];
    for (int row = 0; row < rows; row++) {
        std::snprintf(line, sizeof line, "<row id=\"row-%d\" padding=\"%d\" colour=\"%d\" gap=\"2\">",
                      row, 1 + row % 3, row * 40503 % 65536);
        page += line;
        for (int cell = 0; cell < 3 + row % 6; cell++) {
            std::snprintf(line, sizeof line,
                          "<cell class=\"figure narrow-on-small-screens\" title=\"column %d of row %d\" "
                          "height=\"%d\" margin=\"%d\" share=\"%d\" colour=\"%d\" align=\"left\"></cell>",
                          cell, row, 6 + (row + cell) % 9, cell % 3, 1 + cell % 4, cell * 9973 % 65536);
            page += line;
        }
        page += "</row>";
    }
    return page;
}

int number(const Attributes& attributes, std::string_view name, int otherwise)
{
    auto found = attributes.find(name);
    return found == attributes.end() ? otherwise : std::atoi(found->second.c_str());
}

// Widths by share, from left to right; a row is as high as its highest cell.
void lay_out_row(Element& row, int x, int y, int width)
{
    const int padding = number(row.attributes(), "padding", 0), gap = number(row.attributes(), "gap", 0);
    int shares = 0, highest = 0, left = x + padding;
    for (const auto& cell : row.children())
        shares += number(cell->attributes(), "share", 1);
    const int room = width - 2 * padding - gap * int(row.children().size() - 1);
    for (const auto& cell : row.children()) {
        int margin = number(cell->attributes(), "margin", 0);
        int own = room * number(cell->attributes(), "share", 1) / shares;
        int height = number(cell->attributes(), "height", 8);
        cell->box() = {left + margin, y + padding + margin, std::max(1, own - 2 * margin), height};
        left += own + gap;
        highest = std::max(highest, height + 2 * margin);
    }
    row.box() = {x, y, width, highest + 2 * padding};
}

int lay_out(Element& page, int width)
{
    page.box() = {0, 0, width, 0};
    for (const auto& row : page.children()) {
        lay_out_row(*row, 0, page.box().height, width);
        page.box().height += row->box().height;
    }
    return page.box().height;
}

void fill(std::vector<uint16_t>& pixels, int stride, const Box& box, uint16_t colour)
{
    for (int y = box.y; y < box.y + box.height; y++)
        for (int x = box.x; x < std::min(stride, box.x + box.width); x++) {
            uint16_t& pixel = pixels[size_t(y) * stride + x];
            pixel = uint16_t((pixel >> 1 & 0x7bef) + (colour >> 1 & 0x7bef));
        }
}

void paint(Element& element, std::vector<uint16_t>& pixels, int stride)
{
    fill(pixels, stride, element.box(), uint16_t(number(element.attributes(), "colour", 0xffff)));
    for (const auto& child : element.children())
        paint(*child, pixels, stride);
}

uint32_t checksum(const std::vector<uint16_t>& pixels)
{
    uint32_t sum = 2166136261u;
    for (uint16_t pixel : pixels)
        sum = (sum ^ pixel) * 16777619u;
    return sum;
}

}  // namespace pagebox

int main(int argc, char** argv)
{
    using namespace pagebox;
    int rows = argc > 1 ? std::atoi(argv[1]) : 1500;
    std::string text = make_page(rows);
    auto page = Parser(text).parse();
    for (int width = 320; width < 800; width++) {
        int height = lay_out(*page, width);
        if (width % 80 != 0)
            continue;
        std::vector<uint16_t> pixels(size_t(width) * height, 0);
        paint(*page, pixels, width);
        std::printf("%d x %d: %08x\n", width, height, checksum(pixels));
    }
    return 0;
}
