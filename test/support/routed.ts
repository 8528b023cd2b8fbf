/** Routed plans for tests. */
import type { RoutedImplementation, RoutedPlan } from '../../plans/physical/routed/plan.js';
import { planSignature } from '../../plans/physical/routed/signature.js';
import type { SemanticCall } from '../../plans/operators/call.js';

export const byModel = (model: string, more: { readonly batch?: number } = {}): RoutedImplementation => ({
  family: 'general',
  name: model,
  model,
  usd: 0.001,
  seconds: 1,
  ...more,
});

/** By the length of the first input, in equal shares; nothing is escalated unless thresholds say so. */
export function routedPlan(
  call: SemanticCall,
  implementations: readonly RoutedImplementation[],
  more: Partial<Omit<RoutedPlan, 'safety'>> & { readonly safety?: Partial<RoutedPlan['safety']> } = {},
): RoutedPlan {
  const { safety, ...others } = more;
  return {
    version: 1,
    signature: planSignature(call),
    implementations,
    router: {
      scorer: { form: 'linear', bias: 0.5, terms: [{ feature: 'input0 length', weight: 0.1, mean: 3, scale: 1 }] },
      logits: implementations.map(() => 0),
    },
    thresholds: implementations.map(() => 0),
    safety: { model: 'oracle', margin: 0, share: 0.5, ...safety },
    ...others,
  };
}
