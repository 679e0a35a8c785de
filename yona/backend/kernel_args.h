// What each kernel is given. The meaning of every kernel is its plain loop in backend/reference.
//
// Conventions: matrices are row-major Views with a row stride; `accumulate` adds to the output
// instead of overwriting it; an empty View means "not there"; row keys are the logical identities
// of rows that dropout counts by (see dropout.h); index arrays are i32, offsets i64.
//
// All of them; each family of kernels has its own header.
#pragma once

#include "yona/backend/attention_args.h"
#include "yona/backend/decode_args.h"
#include "yona/backend/elementwise_args.h"
#include "yona/backend/gradient_args.h"
#include "yona/backend/lambda_args.h"
#include "yona/backend/loss_args.h"
#include "yona/backend/lsh_args.h"
#include "yona/backend/matmul_args.h"
#include "yona/backend/norm_args.h"
#include "yona/backend/optimiser_args.h"
#include "yona/backend/performer_args.h"
#include "yona/backend/picture_args.h"
#include "yona/backend/rows_args.h"
