// Italian: hand-written answers.

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(Italian, JoinsNumbersDroppingVowelsAndAccentingTre) {
  expect_said("it", {
                        {Number{0}, "zero"},
                        {Number{3}, "tre"},
                        {Number{13}, "tredici"},
                        {Number{17}, "diciassette"},
                        {Number{19}, "diciannove"},
                        {Number{20}, "venti"},
                        {Number{21}, "ventuno"},
                        {Number{23}, "ventitré"},
                        {Number{28}, "ventotto"},
                        {Number{41}, "quarantuno"},
                        {Number{88}, "ottantotto"},
                        {Number{100}, "cento"},
                        {Number{101}, "centouno"},
                        {Number{103}, "centotré"},
                        {Number{108}, "centotto"},
                        {Number{111}, "centoundici"},
                        {Number{118}, "centodiciotto"},
                        {Number{180}, "centottanta"},
                        {Number{200}, "duecento"},
                        {Number{333}, "trecentotrentatré"},
                        {Number{1000}, "mille"},
                        {Number{1001}, "milleuno"},
                        {Number{1003}, "milletré"},
                        {Number{1100}, "millecento"},
                        {Number{2000}, "duemila"},
                        {Number{3003}, "tremilatré"},
                        {Number{21000}, "ventunomila"},
                        {Number{23023}, "ventitremilaventitré"},
                        {Number{100000}, "centomila"},
                        {Number{581008}, "cinquecentottantunomilaotto"},
                        {Number{1000000}, "un milione"},
                        {Number{1000003}, "un milione tre"},
                        {Number{23000000}, "ventitré milioni"},
                        {Number{2300000}, "due milioni trecentomila"},
                    });
}

TEST(Italian, CountsEurosAndCents) {
  expect_said("it", {
                        {Price{3, 40}, "tre euro e quaranta centesimi"},
                        {Price{1, 0}, "un euro"},
                        {Price{1, 1}, "un euro e un centesimo"},
                        {Price{0, 2}, "due centesimi"},
                        {Price{23, 3}, "ventitré euro e tre centesimi"},
                    });
}

TEST(Italian, TellsTheTimeWithEAndMeno) {
  expect_said("it", {
                        {Time{1, 0}, "l'una"},
                        {Time{3, 0}, "le tre"},
                        {Time{3, 1}, "le tre e un minuto"},
                        {Time{3, 15}, "le tre e un quarto"},
                        {Time{3, 23}, "le tre e ventitré"},
                        {Time{1, 30}, "l'una e mezza"},
                        {Time{3, 38}, "le tre e trentotto"},
                        {Time{3, 40}, "le quattro meno venti"},
                        {Time{3, 45}, "le quattro meno un quarto"},
                        {Time{12, 55}, "l'una meno cinque"},
                    });
}

TEST(Italian, CountsDaysButTheFirst) {
  expect_said("it", {
                        {Date{1, 3}, "il primo marzo"},
                        {Date{3, 1}, "il tre gennaio"},
                        {Date{8, 3}, "l'otto marzo"},
                        {Date{11, 11}, "l'undici novembre"},
                        {Date{18, 6}, "il diciotto giugno"},
                        {Date{23, 5}, "il ventitré maggio"},
                        {Date{2, 6, 1946}, "il due giugno millenovecentoquarantasei"},
                        {Date{1, 1, 2000}, "il primo gennaio duemila"},
                        {Date{1, 1, 2003}, "il primo gennaio duemilatré"},
                    });
}

TEST(Italian, IsWrittenInSeveralWays) {
  expect_written(
      "it",
      {
          {Time{7, 15},
           {"le sette e un quarto", "le sette e quindici", "sette e un quarto", "7:15", "le 7:15"}},
          {Time{3, 45},
           {"le quattro meno un quarto", "le tre e quarantacinque", "le tre e tre quarti"}},
          {Number{23}, {"ventitré", "ventitre", "23"}},
          {Price{3, 40}, {"tre euro e quaranta centesimi", "tre euro e quaranta", "3,40 €"}},
          {Date{8, 3}, {"l'otto marzo", "otto marzo", "8 marzo", "l'8 marzo"}},
      });
}

}  // namespace
}  // namespace yona::builtin
