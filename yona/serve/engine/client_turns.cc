#include "yona/serve/engine/client_turns.h"

#include <algorithm>
#include <limits>

namespace yona::serve {

namespace {

constexpr std::size_t kMostRemembered = 1024;

}  // namespace

ClientTurns::Client& ClientTurns::arrive(const std::string& name) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t least = kNone;
  for (const auto& [other, client] : clients_) {
    if (client.jobs > 0) {
      least = std::min(least, client.served);
    }
  }
  if (clients_.size() >= kMostRemembered) {
    forget_absent();
  }
  Client& client = clients_[name];
  if (client.jobs++ == 0 && least != kNone) {
    client.served = std::max(client.served, least);
  }
  return client;
}

void ClientTurns::leave(Client& client) {
  --client.jobs;
  const bool is_anyone_here = std::any_of(clients_.begin(), clients_.end(),
                                          [](const auto& entry) { return entry.second.jobs > 0; });
  if (!is_anyone_here) {
    clients_.clear();
  }
}

void ClientTurns::forget_absent() {
  std::erase_if(clients_, [](const auto& entry) { return entry.second.jobs == 0; });
}

}  // namespace yona::serve
