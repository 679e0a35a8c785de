#include "yona/decode/models.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona {

std::int64_t least_positions(const std::vector<const SequenceModel*>& models,
                             std::string_view what) {
  check(!models.empty(), "{}: there is no model", what);
  const SequenceShape& first = models.front()->shape();
  std::int64_t least = first.max_positions;
  for (const SequenceModel* model : models) {
    const SequenceShape& shape = model->shape();
    check(shape.target_vocabulary == first.target_vocabulary &&
              shape.source_vocabulary == first.source_vocabulary,
          "{}: models of an ensemble must have the same vocabularies; one has {} source and {} "
          "target pieces, another {} and {}",
          what, first.source_vocabulary, first.target_vocabulary, shape.source_vocabulary,
          shape.target_vocabulary);
    least = std::min(least, shape.max_positions);
  }
  return least;
}

void check_ids(const Ids& ids, std::int64_t vocabulary, const IdCheck& where) {
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < vocabulary,
          "{}: sentence {} has the {} id {}, outside the vocabulary of {} pieces", where.what,
          where.sentence + 1, where.side, id, vocabulary);
  }
}

}  // namespace yona
