#include "yona/parallel/nccl.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <string_view>

#include "yona/base/error.h"

namespace yona {

namespace {

using MakeNcclExchange = DeviceExchange* (*)(Communicator&);

bool is_off() {
  const char* value = std::getenv("YONA_NCCL");
  return value != nullptr && std::string_view(value) == "off";
}

}  // namespace

void open_nccl(Communicator& ranks) {
  if (is_off()) {
    return;
  }
  void* library = dlopen("libyona_nccl.so", RTLD_NOW | RTLD_LOCAL);
  check(library != nullptr,
        "nccl: {} ranks have GPUs, and there is no libyona_nccl.so that can be opened to join them "
        "({}): build with NCCL installed, or set YONA_NCCL=off for slower exchange through the "
        "host",
        ranks.size(), dlerror());
  void* symbol = dlsym(library, "yona_make_nccl_exchange");
  check(symbol != nullptr,
        "nccl: libyona_nccl.so does not belong to this version of yona: install both from one "
        "build");
  const auto make = reinterpret_cast<MakeNcclExchange>(symbol);
  ranks.use(std::unique_ptr<DeviceExchange>(make(ranks)));
}

}  // namespace yona
