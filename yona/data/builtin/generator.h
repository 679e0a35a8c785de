// An endless stream of sentence pairs in words, for trying a model without any corpus:
//
//   Generator train({.source = "en", .target = "de"}, Split::train);
//   auto [source, target] = train.next_pair();   // "half past three", "halb vier"
//
// Training and test streams never share an item; see split.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yona/base/random.h"
#include "yona/data/builtin/item.h"
#include "yona/data/builtin/language.h"
#include "yona/data/builtin/split.h"

namespace yona::builtin {

struct Options {
  std::string source = "en";
  std::string target = "de";
  std::vector<Kind> kinds = {Kind::number, Kind::price, Kind::time, Kind::date};
  int largest_number = 999'999;  // 99 … kLargestNumber
  bool years = false;            // every other date has a year
  bool variants = false;         // sources as people type them; see next_pair()
  std::uint64_t seed = 1;
};

// Draws items independently, so that the stream repeats items sooner or later. Equal options and
// splits give equal streams; the languages have no part in the drawing, so that streams of several
// pairs are parallel. Copyable; a copy goes on by itself. Not to be shared between threads.
class Generator {
 public:
  // Throws InvalidArgument: unknown or equal languages, no kinds, largest_number out of range.
  Generator(Options options, Split split);

  Item next();
  // One item in source and target language. With variants, half of the sources are written in
  // another of ways_to_say(), and half of them without capital letters, with a first one, or with a
  // full stop. Targets always are as say() has them, so that there is one right answer.
  std::pair<std::string, std::string> next_pair();

 private:
  std::string write(const Item& item);
  Item draw(Kind kind);
  Number draw_number();
  Price draw_price();
  Time draw_time();
  Date draw_date();
  int draw_weighted(const std::vector<int>& weights);  // an index, as often as its weight says
  int draw_within(int low, int high);                  // both included

  Options options_;
  Split split_;
  RandomSequence random_;
  RandomSequence writing_;  // of its own, so that variants leave the items as they are
};

}  // namespace yona::builtin
