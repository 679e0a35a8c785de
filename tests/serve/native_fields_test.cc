#include "yona/serve/native_fields.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using serve::Field;
using serve::Fields;
using serve::FieldType;

void expect_bounded(const Fields& fields, const std::string& where) {
  for (const Field& field : fields) {
    if (field.type == FieldType::integer || field.type == FieldType::number) {
      EXPECT_GT(field.least, std::numeric_limits<double>::lowest()) << where << " " << field.name;
      EXPECT_LT(field.most, std::numeric_limits<double>::max()) << where << " " << field.name;
    }
    expect_bounded(field.fields, where + " " + field.name);
  }
}

TEST(NativeFields, GiveEveryNumberOfARequestItsBounds) {
  testing::FakeServer server;
  for (const serve::Route& route : server.application.router().routes()) {
    expect_bounded(route.takes, route.path);
  }
}

TEST(NativeFields, HaveANameOnce) {
  for (const Fields& fields : {serve::translate_fields(), serve::beam_fields(),
                               serve::explain_fields(), serve::translate_answer()}) {
    std::set<std::string> names;
    for (const Field& field : fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
    }
  }
}

}  // namespace
}  // namespace yona
