// All studies by name, and the functions of each. A new study is a file of its own, two lines here
// and one in studies.cc.
#pragma once

#include <span>

#include "yona/study/study.h"

namespace yona {

std::span<const StudyKind> study_kinds();
// Throws InvalidArgument with the list for others.
const StudyKind& study_kind(std::string_view name);

std::vector<StudyPoint> table1_points(const StudySetting& setting);
StudyPage table1_page(const Json& points);

std::vector<StudyPoint> table2_points(const StudySetting& setting);
StudyPage table2_page(const Json& points);

std::vector<StudyPoint> positions_points(const StudySetting& setting);
StudyPage positions_page(const Json& points);

std::vector<StudyPoint> parts_points(const StudySetting& setting);
StudyPage parts_page(const Json& points);

std::vector<StudyPoint> heads_points(const StudySetting& setting);
StudyPage heads_page(const Json& points);

std::vector<StudyPoint> data_size_points(const StudySetting& setting);
StudyPage data_size_page(const Json& points);

std::vector<StudyPoint> forgetting_points(const StudySetting& setting);
StudyPage forgetting_page(const Json& points);

std::vector<StudyPoint> long_range_points(const StudySetting& setting);
StudyPage long_range_page(const Json& points);

}  // namespace yona
