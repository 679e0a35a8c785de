// How values pass between C++ and Python, beyond what pybind11 does by itself.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace yona::python {

namespace py = pybind11;

// What take() expects, for its messages.
inline constexpr const char* kInteger = "int";
inline constexpr const char* kNumber = "a number";
inline constexpr const char* kTrueOrFalse = "True or False";

// Text that a model wrote may end inside a character: such bytes become U+FFFD.
inline py::str text_of(std::string_view bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace"));
}

inline py::list texts_of(const std::vector<std::string>& all) {
  py::list list;
  for (const std::string& text : all) {
    list.append(text_of(text));
  }
  return list;
}

// An array over the vector's own memory, which lives as long as the array does.
inline py::array_t<float> array_of(std::vector<float> values,
                                   const std::vector<py::ssize_t>& shape) {
  auto* owner = new std::vector<float>(std::move(values));
  const py::capsule capsule(owner, [](void* p) { delete static_cast<std::vector<float>*>(p); });
  return py::array_t<float>(shape, owner->data(), capsule);
}

// Sets `into` where the dictionary has the key. Raises TypeError "beam: expected
// int, got 'x'".
template <class T>
void take(const py::dict& given, const char* key, const char* expected, T& into) {
  if (!given.contains(key)) {
    return;
  }
  const py::object value = given[key];
  try {
    into = value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(
        fmt::format("{}: expected {}, got {}", key, expected, py::repr(value).cast<std::string>()));
  }
}

}  // namespace yona::python
