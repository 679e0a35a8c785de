// Errors of yona as exceptions of Python: the classes are in python/yona/errors.py.

#include <cerrno>
#include <new>
#include <system_error>

#include "yona/base/error.h"
#include "yona/base/stop.h"

#include "bindings.h"

namespace yona::python {

namespace {

void raise(const char* name, const char* text) {
  const py::object kind = py::module_::import("yona.errors").attr(name);
  PyErr_SetObject(kind.ptr(), py::str(text).ptr());
}

// The library has one kind for everything that the system refuses; Python tells a file that is not
// there from the rest.
bool is_about_absence(std::string_view text) {
  return text.find("no such ") != text.npos ||
         text.find(std::generic_category().message(ENOENT)) != text.npos;
}

void translate_exception(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", error.what());
  } catch (const FormatError& error) {
    raise("FormatError", error.what());
  } catch (const IoError& error) {
    raise(is_about_absence(error.what()) ? "FileMissing" : "IoError", error.what());
  } catch (const DeviceError& error) {
    raise("DeviceError", error.what());
  } catch (const NotImplemented& error) {
    raise("NotSupported", error.what());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const Error& error) {
    raise("Error", error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    raise("IoError", error.what());
  }
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    if (thrown) {
      translate_exception(thrown);
    }
  });
}

}  // namespace yona::python
