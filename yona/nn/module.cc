#include "yona/nn/module.h"

#include "yona/base/random.h"

namespace yona {

namespace {

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() || name.empty() ? prefix + name : prefix + "." + name;
}

}  // namespace

void Module::visit(const Visitor& visitor, const std::string& prefix) {
  for (const Entry& entry : entries_) {
    if (entry.parameter != nullptr) {
      visitor(joined(prefix, entry.name), *entry.parameter);
    } else {
      entry.part->visit(visitor, joined(prefix, entry.name));
    }
  }
}

void Module::visit_constants(const ConstantVisitor& visitor) {
  for (Constant* constant : constants_) {
    visitor(*constant);
  }
  for (const Entry& entry : entries_) {
    if (entry.part != nullptr) {
      entry.part->visit_constants(visitor);
    }
  }
}

void Module::set_recompute(bool on) {
  for (const Entry& entry : entries_) {
    if (entry.part != nullptr) {
      entry.part->set_recompute(on);
    }
  }
}

void Module::name_streams(const std::string& path) {
  path_ = path;
  // The low bits are left free: attention adds head / 8 to its stream.
  stream_ = static_cast<std::uint32_t>(mix(hash_name(path), 0)) & ~std::uint32_t{0xFFFU};
  for (const Entry& entry : entries_) {
    if (entry.part != nullptr) {
      entry.part->name_streams(joined(path, entry.name));
    }
  }
}

}  // namespace yona
