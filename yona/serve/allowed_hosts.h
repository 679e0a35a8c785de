// The names that a server answers to. A page of another site can make a browser ask this server
// under that site's own name, once its DNS points here (DNS rebinding), and would then read the
// answers as its own: so a request for a name that is not ours is refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yona::serve {

// "localhost:8080" without its port, in lower case; of "[::1]:80" the address alone. Nothing for
// what is not a host with an optional port.
std::optional<std::string> host_name(std::string_view authority);

// As gethostname() gives it, in lower case; empty where it gives none.
std::string machine_name();

class AllowedHosts {
 public:
  // Of a server that listens on `address`: localhost, loopback addresses and the address itself.
  // Where it can be reached from outside also this machine's name, and where it listens on all
  // addresses any address: those cannot be rebound. `more` are further names; "*" allows all.
  // `machine` is this machine's name; empty: it has none. Throws InvalidArgument for one of `more`
  // that is not a name.
  explicit AllowedHosts(const std::string& address, const std::vector<std::string>& more = {},
                        const std::string& machine = machine_name());

  // A name as host_name() gives it.
  bool allows(const std::string& name) const;

 private:
  std::set<std::string> names_;  // names, and addresses as inet_ntop writes them
  bool allows_addresses_ = false;
  bool allows_all_ = false;
};

}  // namespace yona::serve
