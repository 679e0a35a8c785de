#include "yona/generate/grammar.h"

#include <algorithm>
#include <set>
#include <utility>

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

// Repeated empty alternatives add edges but no nodes, so edges have a limit of their own.
Grammar::NodeEdges& Grammar::with_another_edge(Node from) {
  check(++edge_count_ <= kMostEdges,
        "constrained text: the description is too large (more than {} transitions); use smaller "
        "repetition counts and fewer alternatives",
        kMostEdges);
  return edges_[index(from)];
}

void Grammar::link(Node from, Node to) { with_another_edge(from).empty.push_back(to); }

Grammar::Node Grammar::append_byte(Node from, std::uint8_t first, std::uint8_t last) {
  const Node to = add_node();
  with_another_edge(from).bytes.push_back({first, last, to});
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
        with_another_edge(at).bytes.push_back({first, last, to});
      } else {
        at = append_byte(at, first, last);
      }
    }
  }
  return to;
}

Grammar::Node Grammar::append_call(Node from, Rule rule) {
  const Node to = add_node();
  with_another_edge(from).calls.push_back({rule, to});
  return to;
}

std::vector<char> Grammar::nodes_that_reach_end(Reach reach) const {
  // For each node, those that reach the end as soon as it does. A call needs two: the called rule
  // and what follows the call.
  struct Waiting {
    Node node, other;  // other: -1 if nothing else is needed
  };
  std::vector<std::vector<Waiting>> waiting(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const auto node = static_cast<Node>(i);
    for (const Node to : edges_[i].empty) {
      waiting[index(to)].push_back({node, -1});
    }
    for (const ByteEdge& edge : edges_[i].bytes) {
      if (reach == Reach::by_any_text) {
        waiting[index(edge.to)].push_back({node, -1});
      }
    }
    for (const Call& call : edges_[i].calls) {
      waiting[index(call.to)].push_back({node, start(call.rule)});
      waiting[index(start(call.rule))].push_back({node, call.to});
    }
  }
  std::vector<char> reaches(edges_.size(), 0);
  std::vector<Node> open;
  const auto reached = [&](Node node) {
    if (std::exchange(reaches[index(node)], 1) == 0) {
      open.push_back(node);
    }
  };
  for (const RuleEnds& rule : rules_) {
    reached(rule.end);
  }
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (const Waiting& each : waiting[index(node)]) {
      if (each.other < 0 || reaches[index(each.other)] != 0) {
        reached(each.node);
      }
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
