/** Cheap features of a prompt's text that its answer may go with, in any language. */

const marks: Readonly<Record<string, RegExp>> = {
  '?': /[?？؟]/u,
  '!': /[!！]/u,
  digit: /\p{Nd}/u,
  upper: /\p{Lu}{3}/u,
};

/** Names of the features that a text has: how long it is, by powers of four, and which marks it holds. */
export function textFeatures(text: string): readonly string[] {
  const length = Math.floor(Math.log2(text.length + 1) / 2);
  return [`length ${length}`, ...Object.entries(marks).map(([name, mark]) => (mark.test(text) ? name : `no ${name}`))];
}
