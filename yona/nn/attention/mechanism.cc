#include "yona/nn/attention/mechanism.h"

#include "yona/nn/attention/additive.h"
#include "yona/nn/attention/dot_product.h"

namespace yona {

std::unique_ptr<AttentionMechanism> make_attention(AttentionKind kind, const HeadShape& shape,
                                                   double dropout) {
  switch (kind) {
    case AttentionKind::scaled:
      return std::make_unique<ScaledDotProductAttention>(shape, dropout);
    case AttentionKind::unscaled:
      return std::make_unique<UnscaledDotProductAttention>(shape, dropout);
    case AttentionKind::additive:
      return std::make_unique<AdditiveAttention>(shape, dropout);
  }
  fail("attention: unknown kind {}", static_cast<int>(kind));
}

}  // namespace yona
