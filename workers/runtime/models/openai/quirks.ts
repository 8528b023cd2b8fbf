/**
 * What one model at one endpoint refuses. Learnt from its 400 replies, so that a field costs one refused request (which is
 * not billed) and is then left out, or sent under the name that it asks for.
 */
type Body = Record<string, unknown>;

interface Quirk {
  /** Field of the body that may be refused. */
  readonly field: string;
  /** Other words for it in messages. */
  readonly words?: readonly string[];
  /** Name that newer models want instead. */
  readonly renamed?: string;
  /** Fields that go with it. */
  readonly with?: readonly string[];
}

const quirks: readonly Quirk[] = [
  { field: 'response_format', words: ['json_schema', 'guided_json', 'structured output'] },
  { field: 'temperature' },
  { field: 'max_tokens', renamed: 'max_completion_tokens' },
  { field: 'max_completion_tokens' },
  { field: 'logprobs', words: ['logprob'], with: ['top_logprobs'] },
  { field: 'seed' },
  { field: 'encoding_format' },
];

const refusal =
  /unsupported|not\s+support|unrecogni[sz]ed|unknown|unexpected|extra|invalid|not\s+(permitted|allowed|available|implemented)|instead/i;

/** What has been learnt about one model so far. */
export interface Quirks {
  /** The body without what the model refuses. */
  apply(body: Body): Body;
  /** Learns from a refused body; true when sending it anew, through `apply`, may work. */
  learn(sent: Body, complaint: { readonly message: string; readonly param: string | undefined }): boolean;
}

/** `omit` are the fields that the configuration leaves out from the start. */
export function createQuirks(omit: readonly string[]): Quirks {
  const dropped = new Set(omit);
  const renamed = new Map<string, string>();
  return {
    apply(body) {
      if (dropped.size === 0 && renamed.size === 0) return body;
      return Object.fromEntries(
        Object.entries(body)
          .map(([field, value]) => [renamed.get(field) ?? field, value] as const)
          .filter(([field]) => !dropped.has(field)),
      );
    },
    learn(sent, { message, param }) {
      const named = param?.split(/[.[]/)[0];
      const quirk = quirks.find(
        ({ field, words = [] }) =>
          field in sent &&
          (named === field ||
            (refusal.test(message) && [field, ...words].some((word) => message.toLowerCase().includes(word)))),
      );
      if (quirk === undefined) return false;
      const { field, renamed: newName } = quirk;
      if (newName !== undefined && message.includes(newName)) renamed.set(field, newName);
      else for (const name of [field, ...(quirk.with ?? [])]) dropped.add(name);
      return true;
    },
  };
}
