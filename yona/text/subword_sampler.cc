// Both samplers work on stretches of text between tags.

#include "yona/text/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>

#include <fmt/format.h>

#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr double kUnknownPenalty = 10;  // below the worst piece, as SentencePiece has it
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high == kMinusInfinity ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

// A symbol of the BPE chain: its text and its neighbours (-1 for none).
struct Symbol {
  std::string_view text;
  int previous = -1;
  int next = -1;
  bool gone = false;
};

struct Merge {
  float score = 0;
  int left = 0;
  int right = 0;
  std::size_t size = 0;

  // The queue gives the best score first, then the leftmost.
  bool operator<(const Merge& other) const {
    return score != other.score ? score < other.score : left > other.left;
  }
};

// A piece that covers bytes [begin, end) of the text; edges with the same end form a list.
struct Edge {
  std::size_t begin = 0;
  int id = 0;
  double weight = 0;  // alpha · score
  int next_with_same_end = -1;
};

}  // namespace

SubwordSampler::SubwordSampler(const SpmFile& file) : file_(file) {
  using Kind = SpmPiece::Kind;
  float lowest = std::numeric_limits<float>::max();
  byte_ids_.assign(256, -1);
  std::unordered_map<std::string, int> bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.emplace(fmt::format("<0x{:02X}>", byte), byte);
  }
  for (std::size_t at = 0; at < file.pieces.size(); ++at) {
    const SpmPiece& piece = file.pieces[at];
    const int id = static_cast<int>(at);
    if (piece.kind == Kind::normal || piece.kind == Kind::unused) {
      ids_.emplace(piece.text, id);
      longest_piece_ = std::max(longest_piece_, piece.text.size());
      lowest = std::min(lowest, piece.score);
    } else if (piece.kind == Kind::user_defined) {
      tags_.emplace_back(piece.text);
      tag_ids_.emplace(piece.text, id);
    } else if (piece.kind == Kind::unknown) {
      unknown_ = id;
    } else if (const auto byte = bytes.find(piece.text);
               piece.kind == Kind::byte && byte != bytes.end()) {
      byte_ids_[static_cast<std::size_t>(byte->second)] = id;
    }
  }
  if (std::find(byte_ids_.begin(), byte_ids_.end(), -1) != byte_ids_.end()) {
    byte_ids_.clear();
  }
  std::stable_sort(tags_.begin(), tags_.end(), [](auto a, auto b) { return a.size() > b.size(); });
  unknown_score_ = static_cast<double>(lowest) - kUnknownPenalty;
}

int SubwordSampler::find(std::string_view piece) const {
  const auto at = ids_.find(piece);
  return at == ids_.end() ? -1 : at->second;
}

std::size_t SubwordSampler::tag_length(std::string_view text) const {
  for (const std::string_view tag : tags_) {
    if (text.starts_with(tag)) {
      return tag.size();
    }
  }
  return 0;
}

void SubwordSampler::sample(std::string_view normalised, double alpha, RandomSequence& random,
                            std::vector<int>& ids) const {
  const auto segment = [&](std::string_view text) {
    if (file_.algorithm == SubwordAlgorithm::unigram) {
      sample_unigram(text, alpha, random, ids);
    } else {
      sample_bpe(text, alpha, random, ids);
    }
  };
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < normalised.size()) {
    const std::string_view rest = normalised.substr(at);
    if (const std::size_t length = tag_length(rest); length > 0) {
      segment(normalised.substr(begin, at - begin));
      ids.push_back(tag_ids_.at(rest.substr(0, length)));
      at += length;
      begin = at;
    } else {
      at += utf8_length(rest);
    }
  }
  segment(normalised.substr(begin));
}

// A known piece; or its bytes; or <unk>, once for a run of unknown characters as the library does.
void SubwordSampler::append(std::string_view piece, int id, std::vector<int>& ids) const {
  if (id >= 0) {
    ids.push_back(id);
  } else if (!byte_ids_.empty()) {
    for (const char byte : piece) {
      ids.push_back(byte_ids_[static_cast<std::uint8_t>(byte)]);
    }
  } else if (ids.empty() || ids.back() != unknown_) {
    ids.push_back(unknown_);
  }
}

// Characters are merged by the best score first; when a merge's turn comes it is left out with
// probability alpha, and comes back only if one of its symbols changes.
void SubwordSampler::sample_bpe(std::string_view text, double alpha, RandomSequence& random,
                                std::vector<int>& ids) const {
  std::vector<Symbol> symbols;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const int index = static_cast<int>(symbols.size());
    at += length;
    symbols.push_back(
        {text.substr(at - length, length), index - 1, at < text.size() ? index + 1 : -1, false});
  }
  std::priority_queue<Merge> queue;
  std::unordered_map<std::string_view, std::size_t> unused_cuts;  // piece → size of its left part
  const auto consider = [&](int left, int right) {
    if (left < 0 || right < 0) {
      return;
    }
    const std::string_view first = symbols[static_cast<std::size_t>(left)].text;
    const std::size_t size = first.size() + symbols[static_cast<std::size_t>(right)].text.size();
    const std::string_view merged(first.data(), size);
    if (const int id = find(merged); id >= 0) {
      const SpmPiece& piece = file_.pieces[static_cast<std::size_t>(id)];
      queue.push({piece.score, left, right, size});
      if (piece.kind == SpmPiece::Kind::unused) {
        unused_cuts[merged] = first.size();
      }
    }
  };
  for (std::size_t right = 1; right < symbols.size(); ++right) {
    consider(static_cast<int>(right) - 1, static_cast<int>(right));
  }
  while (!queue.empty()) {
    const Merge merge = queue.top();
    queue.pop();
    Symbol& left = symbols[static_cast<std::size_t>(merge.left)];
    Symbol& right = symbols[static_cast<std::size_t>(merge.right)];
    const bool outdated =
        left.gone || right.gone || left.text.size() + right.text.size() != merge.size;
    if (outdated || (alpha > 0 && random.uniform() < alpha)) {
      continue;
    }
    left.text = {left.text.data(), merge.size};
    left.next = right.next;
    right.gone = true;
    if (right.next >= 0) {
      symbols[static_cast<std::size_t>(right.next)].previous = merge.left;
    }
    consider(left.previous, merge.left);
    consider(merge.left, left.next);
  }
  const std::function<void(std::string_view)> emit = [&](std::string_view piece) {
    if (const auto cut = unused_cuts.find(piece); cut != unused_cuts.end()) {
      emit(piece.substr(0, cut->second));
      emit(piece.substr(cut->second));
    } else {
      append(piece, find(piece), ids);
    }
  };
  for (const Symbol& symbol : symbols) {
    if (!symbol.gone) {
      emit(symbol.text);
    }
  }
}

// P(segmentation) ∝ Π p(piece)^alpha. Forward sums to each position, then pieces are drawn from the
// end: p(edge) = exp(forward[begin] + alpha · score - forward[end])   Kudo 2018, §3.2 and §3.3.
void SubwordSampler::sample_unigram(std::string_view text, double alpha, RandomSequence& random,
                                    std::vector<int>& ids) const {
  std::vector<double> forward(text.size() + 1, kMinusInfinity);
  std::vector<int> last_edge(text.size() + 1, -1);
  std::vector<Edge> edges;
  forward[0] = 0;
  const auto connect = [&](std::size_t begin, std::size_t end, int id, double score) {
    edges.push_back({begin, id, alpha * score, last_edge[end]});
    last_edge[end] = static_cast<int>(edges.size()) - 1;
    forward[end] = log_add(forward[end], forward[begin] + alpha * score);
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t character = utf8_length(text.substr(begin));
    bool covered = false;
    std::size_t end = begin;
    while (end < text.size() && end - begin < longest_piece_) {
      end += utf8_length(text.substr(end));
      const int id = find(text.substr(begin, end - begin));
      if (id >= 0 && file_.pieces[static_cast<std::size_t>(id)].kind == SpmPiece::Kind::normal) {
        connect(begin, end, id, file_.pieces[static_cast<std::size_t>(id)].score);
        covered = covered || end == begin + character;
      }
    }
    if (!covered) {
      connect(begin, begin + character, -1, unknown_score_);
    }
    begin += character;
  }
  std::vector<std::pair<std::string_view, int>> backwards;
  for (std::size_t end = text.size(); end > 0;) {
    const double draw = random.uniform();
    double reached = 0;
    int chosen = last_edge[end];
    for (int at = chosen; at >= 0; at = edges[static_cast<std::size_t>(at)].next_with_same_end) {
      const Edge& edge = edges[static_cast<std::size_t>(at)];
      reached += std::exp(forward[edge.begin] + edge.weight - forward[end]);
      chosen = at;
      if (draw < reached) {
        break;
      }
    }
    const Edge& edge = edges[static_cast<std::size_t>(chosen)];
    backwards.emplace_back(text.substr(edge.begin, end - edge.begin), edge.id);
    end = edge.begin;
  }
  std::reverse(backwards.begin(), backwards.end());
  for (const auto& [piece, id] : backwards) {
    append(piece, id, ids);
  }
}

}  // namespace yona
