// Spanish: hand-written answers.

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(Spanish, WritesAccentsAndShortensOneBeforeThousands) {
  expect_said("es", {
                        {Number{0}, "cero"},
                        {Number{1}, "uno"},
                        {Number{15}, "quince"},
                        {Number{16}, "dieciséis"},
                        {Number{21}, "veintiuno"},
                        {Number{22}, "veintidós"},
                        {Number{23}, "veintitrés"},
                        {Number{26}, "veintiséis"},
                        {Number{29}, "veintinueve"},
                        {Number{30}, "treinta"},
                        {Number{31}, "treinta y uno"},
                        {Number{67}, "sesenta y siete"},
                        {Number{76}, "setenta y seis"},
                        {Number{100}, "cien"},
                        {Number{101}, "ciento uno"},
                        {Number{120}, "ciento veinte"},
                        {Number{200}, "doscientos"},
                        {Number{500}, "quinientos"},
                        {Number{700}, "setecientos"},
                        {Number{999}, "novecientos noventa y nueve"},
                        {Number{1000}, "mil"},
                        {Number{1001}, "mil uno"},
                        {Number{2100}, "dos mil cien"},
                        {Number{21000}, "veintiún mil"},
                        {Number{21021}, "veintiún mil veintiuno"},
                        {Number{31000}, "treinta y un mil"},
                        {Number{100000}, "cien mil"},
                        {Number{101000}, "ciento un mil"},
                        {Number{1000000}, "un millón"},
                        {Number{1001001}, "un millón mil uno"},
                        {Number{21000000}, "veintiún millones"},
                        {Number{100000000}, "cien millones"},
                    });
}

TEST(Spanish, CountsEurosAndCents) {
  expect_said("es", {
                        {Price{3, 40}, "tres euros con cuarenta céntimos"},
                        {Price{1, 0}, "un euro"},
                        {Price{1, 1}, "un euro con un céntimo"},
                        {Price{21, 31}, "veintiún euros con treinta y un céntimos"},
                        {Price{0, 11}, "once céntimos"},
                        {Price{501, 0}, "quinientos un euros"},
                    });
}

TEST(Spanish, TellsTheTimeWithYAndMenos) {
  expect_said("es", {
                        {Time{1, 0}, "la una"},
                        {Time{3, 0}, "las tres"},
                        {Time{3, 1}, "las tres y un minuto"},
                        {Time{3, 10}, "las tres y diez"},
                        {Time{3, 15}, "las tres y cuarto"},
                        {Time{3, 21}, "las tres y veintiún minutos"},
                        {Time{1, 30}, "la una y media"},
                        {Time{3, 31}, "las cuatro menos veintinueve minutos"},
                        {Time{3, 35}, "las cuatro menos veinticinco"},
                        {Time{3, 45}, "las cuatro menos cuarto"},
                        {Time{12, 50}, "la una menos diez"},
                    });
}

TEST(Spanish, CountsDays) {
  expect_said("es", {
                        {Date{1, 1}, "el uno de enero"},
                        {Date{21, 3}, "el veintiuno de marzo"},
                        {Date{31, 8}, "el treinta y uno de agosto"},
                        {Date{12, 10, 1992}, "el doce de octubre de mil novecientos noventa y dos"},
                        {Date{9, 9, 1900}, "el nueve de septiembre de mil novecientos"},
                        {Date{6, 12, 2005}, "el seis de diciembre de dos mil cinco"},
                    });
}

TEST(Spanish, IsWrittenInSeveralWays) {
  expect_written(
      "es",
      {
          {Time{7, 15},
           {"las siete y cuarto", "las siete y quince", "siete y cuarto", "7:15", "las 7:15"}},
          {Time{3, 7}, {"las tres y siete minutos", "las tres y siete"}},
          {Time{3, 40}, {"las cuatro menos veinte", "las tres y cuarenta"}},
          {Number{22}, {"veintidós", "22"}},
          {Price{3, 40}, {"tres euros con cuarenta", "tres euros y cuarenta céntimos", "3,40 €"}},
          {Date{1, 3}, {"el uno de marzo", "el primero de marzo", "1 de marzo", "el 1 de marzo"}},
      });
}

}  // namespace
}  // namespace yona::builtin
