#include "yona/serve/allowed_hosts.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <netinet/in.h>
#include <unistd.h>

#include "yona/base/error.h"
#include "yona/serve/url.h"

namespace yona::serve {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
  });
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return text.empty() || (error == std::errc() && end == text.data() + text.size());
}

// An address in the one way that it is written; empty for what is not an address.
std::string written_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> written{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, text.c_str(), bytes.data()) == 1) {
      return ::inet_ntop(family, bytes.data(), written.data(), written.size());
    }
  }
  return "";
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

std::optional<std::string> host_name(std::string_view authority) {
  std::string host = lower_case(authority);
  std::string port;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == host.npos) {
      return std::nullopt;
    }
    port = host.substr(end + 1);
    host = host.substr(1, end - 1);
    if (host.find(':') == host.npos || written_address(host).empty()) {
      return std::nullopt;
    }
  } else {
    const std::size_t colon = std::min(host.find(':'), host.size());
    port = host.substr(colon);
    host.resize(colon);
    if (!is_name(host)) {
      return std::nullopt;
    }
  }
  const bool has_port = port.starts_with(':') && is_port(std::string_view{port}.substr(1));
  return port.empty() || has_port ? std::optional(host) : std::nullopt;
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? lower_case(name.data()) : "";
}

AllowedHosts::AllowedHosts(const std::string& address, const std::vector<std::string>& more,
                           const std::string& machine)
    : names_{"localhost"} {
  const std::string bound = written_address(address);
  names_.insert(bound);
  allows_addresses_ = bound == "0.0.0.0" || bound == "::";
  if (!bound.empty() && !is_loopback(bound) && !machine.empty() && !machine.starts_with('.')) {
    names_.insert({machine, machine.substr(0, machine.find('.')), machine + ".local"});
  }
  for (const std::string& given : more) {
    const std::string written = written_address(given);
    const std::string name = lower_case(given);
    check(given == "*" || !written.empty() || is_name(name),
          "--allow-host: expected a name like example.org without a port, an address, or '*' for "
          "any, got '{}'",
          given);
    allows_all_ = allows_all_ || given == "*";
    names_.insert(written.empty() ? name : written);
  }
  names_.erase("");
}

bool AllowedHosts::allows(const std::string& name) const {
  if (allows_all_) {
    return true;
  }
  const std::string address = written_address(name);
  if (!address.empty()) {
    return allows_addresses_ || is_loopback(address) || names_.contains(address);
  }
  const std::string plain = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  return plain.ends_with(".localhost") || names_.contains(plain);
}

}  // namespace yona::serve
