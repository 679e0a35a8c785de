// The parts of the compiled module `yona._yona`. The classes and functions that users see are
// written in Python over them (python/yona/*.py).
#pragma once

#include "values.h"

namespace yona::python {

void bind_errors(py::module_& module);
void bind_model(py::module_& module);
void bind_attention(py::module_& module);
void bind_train(py::module_& module);
void bind_metrics(py::module_& module);

}  // namespace yona::python
