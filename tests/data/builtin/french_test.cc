// French: hand-written answers.

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(French, CountsBySixtiesAndEighties) {
  expect_said("fr", {
                        {Number{0}, "zéro"},
                        {Number{1}, "un"},
                        {Number{16}, "seize"},
                        {Number{17}, "dix-sept"},
                        {Number{20}, "vingt"},
                        {Number{21}, "vingt et un"},
                        {Number{22}, "vingt-deux"},
                        {Number{31}, "trente et un"},
                        {Number{60}, "soixante"},
                        {Number{61}, "soixante et un"},
                        {Number{70}, "soixante-dix"},
                        {Number{71}, "soixante et onze"},
                        {Number{77}, "soixante-dix-sept"},
                        {Number{80}, "quatre-vingts"},
                        {Number{81}, "quatre-vingt-un"},
                        {Number{90}, "quatre-vingt-dix"},
                        {Number{91}, "quatre-vingt-onze"},
                        {Number{99}, "quatre-vingt-dix-neuf"},
                    });
}

TEST(French, PutsAnSOnCentAndVingtOnlyWhereTheyEndACount) {
  expect_said("fr", {
                        {Number{100}, "cent"},
                        {Number{101}, "cent un"},
                        {Number{180}, "cent quatre-vingts"},
                        {Number{200}, "deux cents"},
                        {Number{201}, "deux cent un"},
                        {Number{280}, "deux cent quatre-vingts"},
                        {Number{1000}, "mille"},
                        {Number{1100}, "mille cent"},
                        {Number{2000}, "deux mille"},
                        {Number{2200}, "deux mille deux cents"},
                        {Number{21000}, "vingt et un mille"},
                        {Number{80000}, "quatre-vingt mille"},
                        {Number{80080}, "quatre-vingt mille quatre-vingts"},
                        {Number{200000}, "deux cent mille"},
                        {Number{300300}, "trois cent mille trois cents"},
                        {Number{1000000}, "un million"},
                        {Number{2500000}, "deux millions cinq cent mille"},
                        {Number{80000000}, "quatre-vingts millions"},
                        {Number{200000000}, "deux cents millions"},
                        {Number{71001000}, "soixante et onze millions mille"},
                    });
}

TEST(French, CountsEurosAndCentimes) {
  expect_said("fr",
              {
                  {Price{3, 40}, "trois euros et quarante centimes"},
                  {Price{1, 0}, "un euro"},
                  {Price{1, 1}, "un euro et un centime"},
                  {Price{0, 1}, "un centime"},
                  {Price{21, 80}, "vingt et un euros et quatre-vingts centimes"},
                  {Price{200, 0}, "deux cents euros"},
                  {Price{980, 81}, "neuf cent quatre-vingts euros et quatre-vingt-un centimes"},
              });
}

TEST(French, TellsTheTimeInFeminineHoursAndMinutes) {
  expect_said("fr", {
                        {Time{3, 0}, "trois heures"},
                        {Time{1, 0}, "une heure"},
                        {Time{1, 1}, "une heure une"},
                        {Time{3, 10}, "trois heures dix"},
                        {Time{3, 11}, "trois heures onze"},
                        {Time{3, 15}, "trois heures et quart"},
                        {Time{3, 21}, "trois heures vingt et une"},
                        {Time{3, 30}, "trois heures et demie"},
                        {Time{3, 31}, "trois heures trente et une"},
                        {Time{3, 35}, "quatre heures moins vingt-cinq"},
                        {Time{3, 38}, "trois heures trente-huit"},
                        {Time{3, 40}, "quatre heures moins vingt"},
                        {Time{3, 45}, "quatre heures moins le quart"},
                        {Time{12, 45}, "une heure moins le quart"},
                        {Time{11, 55}, "douze heures moins cinq"},
                    });
}

TEST(French, CountsDaysButTheFirst) {
  expect_said("fr",
              {
                  {Date{1, 3}, "le premier mars"},
                  {Date{2, 2}, "le deux février"},
                  {Date{8, 12}, "le huit décembre"},
                  {Date{11, 8}, "le onze août"},
                  {Date{21, 3}, "le vingt et un mars"},
                  {Date{14, 7, 1989}, "le quatorze juillet mille neuf cent quatre-vingt-neuf"},
                  {Date{1, 1, 1900}, "le premier janvier mille neuf cent"},
                  {Date{1, 1, 1980}, "le premier janvier mille neuf cent quatre-vingt"},
                  {Date{1, 1, 2000}, "le premier janvier deux mille"},
                  {Date{30, 6, 2071}, "le trente juin deux mille soixante et onze"},
              });
}

TEST(French, IsWrittenInSeveralWays) {
  expect_written(
      "fr",
      {
          {Time{7, 15},
           {"sept heures et quart", "sept heures quinze", "7h15", "7 h 15", "19h15", "7:15"}},
          {Time{6, 45},
           {"sept heures moins le quart", "six heures quarante-cinq", "sept heures moins quinze"}},
          {Time{1, 0}, {"une heure", "1 heure", "1h", "13h", "13 heures"}},
          {Number{221}, {"deux cent vingt et un", "deux-cent-vingt-et-un"}},
          {Number{2001021}, {"deux millions mille-vingt-et-un"}},
          {Price{3, 40},
           {"trois euros quarante", "trois euros quarante centimes", "3,40 €", "3,40 euros"}},
          {Date{1, 3}, {"premier mars", "le 1er mars", "1er mars"}},
      });
}

}  // namespace
}  // namespace yona::builtin
