#include "yona/generate/grammar.h"

#include <algorithm>
#include <set>

#include "yona/base/error.h"

namespace yona {

Grammar::Rule Grammar::add_rule() {
  const Node start = add_node();
  const Node end = add_node();
  edges_[index(end)].is_end = true;
  rules_.push_back({start, end});
  return static_cast<Rule>(rules_.size() - 1);
}

Grammar::Node Grammar::add_node() {
  check(edges_.size() < kMostNodes,
        "constrained text: the description is too large (more than {} nodes); use smaller "
        "repetition counts",
        kMostNodes);
  edges_.emplace_back();
  return static_cast<Node>(edges_.size() - 1);
}

Grammar::Node Grammar::append_byte(Node from, std::uint8_t first, std::uint8_t last) {
  const Node to = add_node();
  edges_[index(from)].bytes.push_back({first, last, to});
  return to;
}

Grammar::Node Grammar::append_text(Node from, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    from = append_byte(from, byte, byte);
  }
  return from;
}

Grammar::Node Grammar::append_characters(Node from, const CharacterSet& set) {
  const Node to = add_node();
  for (const ByteRanges& sequence : utf8_ranges(set)) {
    Node at = from;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const auto first = static_cast<std::uint8_t>(sequence[i].first);
      const auto last = static_cast<std::uint8_t>(sequence[i].last);
      if (i + 1 == sequence.size()) {
        edges_[index(at)].bytes.push_back({first, last, to});
      } else {
        at = append_byte(at, first, last);
      }
    }
  }
  return to;
}

Grammar::Node Grammar::append_call(Node from, Rule rule) {
  const Node to = add_node();
  edges_[index(from)].calls.push_back({rule, to});
  return to;
}

std::vector<char> Grammar::nodes_that_reach_end(Reach reach) const {
  std::vector<std::vector<Node>> waiting(edges_.size());  // look at them again once it reaches
  for (std::size_t node = 0; node < edges_.size(); ++node) {
    const auto wait_for = [&](Node to) { waiting[index(to)].push_back(static_cast<Node>(node)); };
    std::for_each(edges_[node].empty.begin(), edges_[node].empty.end(), wait_for);
    if (reach == Reach::by_any_text) {
      for (const ByteEdge& edge : edges_[node].bytes) {
        wait_for(edge.to);
      }
    }
    for (const Call& call : edges_[node].calls) {
      wait_for(call.to);
      wait_for(start(call.rule));
    }
  }
  std::vector<char> reaches(edges_.size(), 0);
  const auto is_reached = [&](Node to) { return reaches[index(to)] != 0; };
  const auto has_way = [&](const NodeEdges& edges) {
    return edges.is_end || std::any_of(edges.empty.begin(), edges.empty.end(), is_reached) ||
           (reach == Reach::by_any_text &&
            std::any_of(edges.bytes.begin(), edges.bytes.end(),
                        [&](const ByteEdge& edge) { return is_reached(edge.to); })) ||
           std::any_of(edges.calls.begin(), edges.calls.end(), [&](const Call& call) {
             return is_reached(call.to) && is_reached(start(call.rule));
           });
  };
  std::vector<Node> open;
  for (const RuleEnds& rule : rules_) {
    open.push_back(rule.end);
  }
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (!is_reached(node) && has_way(edges(node))) {
      reaches[index(node)] = 1;
      open.insert(open.end(), waiting[index(node)].begin(), waiting[index(node)].end());
    }
  }
  return reaches;
}

void Grammar::remove_dead_edges(const std::vector<char>& alive) {
  const auto is_dead = [&](Node to) { return alive[index(to)] == 0; };
  for (NodeEdges& edges : edges_) {
    std::erase_if(edges.bytes, [&](const ByteEdge& edge) { return is_dead(edge.to); });
    std::erase_if(edges.empty, is_dead);
    std::erase_if(edges.calls,
                  [&](const Call& call) { return is_dead(call.to) || is_dead(start(call.rule)); });
  }
}

std::vector<Grammar::Rule> Grammar::rules_called_first(Rule rule,
                                                       const std::vector<char>& is_nullable) const {
  std::vector<Rule> called;
  std::vector<Node> open{start(rule)};
  std::set<Node> seen(open.begin(), open.end());
  const auto visit = [&](Node node) {
    if (seen.insert(node).second) {
      open.push_back(node);
    }
  };
  while (!open.empty()) {
    const NodeEdges& node = edges(open.back());
    open.pop_back();
    std::for_each(node.empty.begin(), node.empty.end(), visit);
    for (const Call& call : node.calls) {
      called.push_back(call.rule);
      if (is_nullable[index(start(call.rule))] != 0) {
        visit(call.to);
      }
    }
  }
  return called;
}

void Grammar::refuse_left_recursion(std::string_view name) const {
  const std::vector<char> is_nullable = nodes_that_reach_end(Reach::by_empty_text);
  enum : char { unseen, open, closed };
  std::vector<char> marks(rules_.size(), unseen);
  struct Visit {
    Rule rule;
    std::vector<Rule> called;
    std::size_t next = 0;
  };
  for (std::size_t root = 0; root < rules_.size(); ++root) {
    std::vector<Visit> path;
    const auto enter = [&](Rule rule) {
      marks[index(rule)] = open;
      path.push_back({rule, rules_called_first(rule, is_nullable)});
    };
    if (marks[root] == unseen) {
      enter(static_cast<Rule>(root));
    }
    while (!path.empty()) {
      if (path.back().next == path.back().called.size()) {
        marks[index(path.back().rule)] = closed;
        path.pop_back();
        continue;
      }
      const Rule rule = path.back().called[path.back().next++];
      check(marks[index(rule)] != open, "{}: it refers to itself before any text", name);
      if (marks[index(rule)] == unseen) {
        enter(rule);
      }
    }
  }
}

void Grammar::finish(std::string_view name) {
  const std::vector<char> alive = nodes_that_reach_end(Reach::by_any_text);
  check(alive[index(start(root()))] != 0, "{}: it cannot be met: no text matches it", name);
  remove_dead_edges(alive);
  refuse_left_recursion(name);
}

}  // namespace yona
