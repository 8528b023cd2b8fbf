/** Which calls a plan is for. */
import type { SemanticCall } from '../../operators/call.js';
import { canonicalJson } from '../../operators/fingerprint.js';
import { parseJson } from '../../protocol/json.js';

/**
 * What a call asks, as one canonical text: operator, intent, options and output; not the names of tables, columns or models. Two
 * calls of one signature differ in their data alone.
 */
export function planSignature({ parameters, template, inputs, guidance, output }: SemanticCall): string {
  return canonicalJson({
    parameters,
    intent: normalised(template),
    inputs: inputs.map(({ modality }) => modality),
    ...(guidance === undefined ? {} : { guidance }),
    output,
  });
}

/** White space and the ways to write one letter say nothing. */
function normalised(template: string): string {
  return template.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** The intent of a signature as people know it; undefined for a text that is none. */
export function signedIntent(signature: string): string | undefined {
  const parsed = parseJson(signature);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return undefined;
  const { parameters, intent } = parsed.value as {
    readonly parameters?: { readonly kind?: unknown };
    readonly intent?: unknown;
  };
  const kind = parameters?.kind;
  return typeof kind === 'string' && typeof intent === 'string' ? `${kind} "${intent}"` : undefined;
}
