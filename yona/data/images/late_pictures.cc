#include "yona/data/images/late_pictures.h"

#include <cstddef>

namespace yona {

void PictureBatch::read() {
  std::vector<Item*> late;
  for (Item& item : items_) {
    if (item.file->keeps(item.image)) {
      item.pixels = item.file->image(item.image);
    } else {
      late.push_back(&item);
    }
  }
  const auto each = static_cast<std::size_t>(shape_.elements());
  bytes_.resize(late.size() * each);
  for_each_picture(static_cast<std::int64_t>(late.size()), pool_, [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    std::uint8_t* to = bytes_.data() + place * each;
    late[place]->file->late->read(late[place]->image, to);
    late[place]->pixels = to;
  });
}

}  // namespace yona
