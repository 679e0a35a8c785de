// A study's page: one HTML file with its figures inside, light or dark as the reader has it.
#pragma once

#include <string>
#include <vector>

#include "yona/study/study.h"

namespace yona {

// `figures` are the SVGs of the page's plots; `study` is the content of study.json.
std::string html_of(const StudyKind& kind, const StudyPage& page,
                    const std::vector<std::string>& figures, const Json& study);

}  // namespace yona
