// A part of a picture, made as large as the picture was: the random resized crop of Szegedy et al.
// 2015, with torchvision's way of drawing it.
#pragma once

#include "yona/base/random.h"
#include "yona/data/images/picture.h"

namespace yona {

// A rectangle of at least this share of the picture's area, from 3 : 4 to 4 : 3 in shape; bilinear.
Picture random_crop(const Picture& picture, double least_area, RandomSequence& random);

}  // namespace yona
