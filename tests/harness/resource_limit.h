// A limit of the process (setrlimit) for as long as a test needs it.
#pragma once

#include <sys/resource.h>

namespace yona::testing {

class ResourceLimit {
 public:
  // resource: RLIMIT_AS, …; only the soft limit is changed.
  ResourceLimit(__rlimit_resource_t resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit limited{most, before_.rlim_max};
    setrlimit(resource_, &limited);
  }
  ~ResourceLimit() { setrlimit(resource_, &before_); }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;

 private:
  __rlimit_resource_t resource_;
  rlimit before_{};
};

}  // namespace yona::testing
