// Which client is next: the one that has been given the fewest tokens, so that a client with many
// or long requests does not keep others waiting (Sheng et al. 2024, "Fairness in Serving Large
// Language Models", the virtual token counter). A client that comes, or comes back, begins where
// the least served one of those that are here is: time without requests does not count.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace yona::serve {

class ClientTurns {
 public:
  struct Client {
    std::int64_t served = 0;  // tokens
    std::int64_t jobs = 0;    // waiting or running
    // Answers that wait: of all jobs, and of small ones alone.
    std::int64_t waiting_answers = 0, waiting_small = 0;
  };

  // A job of the client has arrived. The client stays valid until its last job has left.
  Client& arrive(const std::string& name);
  void leave(Client& client);

  const std::map<std::string, Client>& clients() const { return clients_; }
  // How many waiting answers come before a job with `answers` answers. Clients take turns, so each
  // has at most as many before it as the job asks for, or a few. Only small jobs come before a
  // small one.
  std::int64_t answers_before(std::int64_t answers, bool is_small) const;

 private:
  void forget_absent();

  std::map<std::string, Client> clients_;
};

}  // namespace yona::serve
