// The languages of the multilingual families, in the order of their ids. Folders of the hub that do
// not name them in their own files are read by these lists.
#pragma once

#include <span>
#include <string_view>

namespace yona {

std::span<const std::string_view> mbart_languages();    // mBART: 25, en_XX
std::span<const std::string_view> mbart50_languages();  // mBART-50: 52, those of mBART first
std::span<const std::string_view> m2m100_languages();   // M2M100: 100, en
std::span<const std::string_view> wmt21_languages();    // M2M100 for WMT 2021: 8
std::span<const std::string_view> nllb_languages();     // NLLB-200: 202, eng_Latn

}  // namespace yona
