// Which tokens see which under locality-sensitive hashing (lsh_args.h), for one head: the same for
// every backend. A range of places holds all candidates of a round; takes() says which of them
// count, and leaves out those that an earlier round has shown.
#pragma once

#include "yona/backend/attention_pattern.h"
#include "yona/backend/lsh_args.h"

namespace yona {

struct LshPlaces {
  std::int64_t begin = 0, end = 0;
};

class LshSight {
 public:
  YONA_HOST_DEVICE LshSight(const LshAttentionArgs& args, std::int64_t head)
      : order_(args.order),
        first_(head * args.order.tokens),
        step_(args.heads * args.order.tokens),
        rounds_(args.rounds),
        chunk_(args.chunk),
        causal_(args.causal) {}

  YONA_HOST_DEVICE std::int64_t rounds() const { return rounds_; }
  YONA_HOST_DEVICE std::int64_t token(std::int64_t round, std::int64_t place) const {
    return order_.order[at(round, place)];
  }

  // Where the keys of a query are, and the queries of a key.
  YONA_HOST_DEVICE LshPlaces keys(std::int64_t round, std::int64_t query) const {
    const std::int64_t begin = order_.begin[at(round, query)];
    const std::int64_t chunk = chunk_of(round, query);
    const std::int64_t last =
        causal_ ? order_.place[at(round, query)]
                : least(begin + (chunk + 1) * chunk_, order_.end[at(round, query)]);
    return {begin + (chunk > 0 ? chunk - 1 : 0) * chunk_, last};
  }
  YONA_HOST_DEVICE LshPlaces queries(std::int64_t round, std::int64_t key) const {
    const std::int64_t begin = order_.begin[at(round, key)] + chunk_of(round, key) * chunk_;
    const std::int64_t first = causal_ ? order_.place[at(round, key)] + 1 : begin;
    return {first, least(begin + 2 * chunk_, order_.end[at(round, key)])};
  }

  // Of the candidates of a round: another token, which no earlier round has shown.
  YONA_HOST_DEVICE bool takes(std::int64_t round, std::int64_t query, std::int64_t key) const {
    bool is_new = query != key;
    for (std::int64_t earlier = 0; earlier < round && is_new; ++earlier) {
      is_new = !shows(earlier, query, key);
    }
    return is_new;
  }

  // In a fixed order, each once.
  template <class Function>
  void for_each_key(std::int64_t query, const Function& function) const {
    bool is_alone = true;
    for (std::int64_t round = 0; round < rounds_; ++round) {
      const LshPlaces candidates = keys(round, query);
      for (std::int64_t place = candidates.begin; place < candidates.end; ++place) {
        if (const std::int64_t key = token(round, place); takes(round, query, key)) {
          function(key);
          is_alone = false;
        }
      }
    }
    if (is_alone) {
      function(query);
    }
  }
  template <class Function>
  void for_each_query(std::int64_t key, const Function& function) const {
    for (std::int64_t round = 0; round < rounds_; ++round) {
      const LshPlaces candidates = queries(round, key);
      for (std::int64_t place = candidates.begin; place < candidates.end; ++place) {
        if (const std::int64_t query = token(round, place); takes(round, query, key)) {
          function(query);
        }
      }
    }
    if (is_alone(key)) {
      function(key);
    }
  }
  // Does it see nothing but itself? A bucket shows all its tokens, or the first of them nothing.
  YONA_HOST_DEVICE bool is_alone(std::int64_t query) const {
    for (std::int64_t round = 0; round < rounds_; ++round) {
      const LshPlaces candidates = keys(round, query);
      if (candidates.end - candidates.begin > (causal_ ? 0 : 1)) {
        return false;
      }
    }
    return true;
  }

 private:
  YONA_HOST_DEVICE static std::int64_t least(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  YONA_HOST_DEVICE std::int64_t at(std::int64_t round, std::int64_t token) const {
    return first_ + round * step_ + token;
  }
  YONA_HOST_DEVICE std::int64_t chunk_of(std::int64_t round, std::int64_t token) const {
    return (order_.place[at(round, token)] - order_.begin[at(round, token)]) / chunk_;
  }
  YONA_HOST_DEVICE bool shows(std::int64_t round, std::int64_t query, std::int64_t key) const {
    const std::int64_t distance = chunk_of(round, query) - chunk_of(round, key);
    return order_.begin[at(round, query)] == order_.begin[at(round, key)] &&
           (distance == 0 || distance == 1);
  }

  LshOrder order_;
  std::int64_t first_, step_, rounds_, chunk_;
  bool causal_;
};

}  // namespace yona
