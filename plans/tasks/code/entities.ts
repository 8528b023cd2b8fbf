import type { JsonValue } from '../../protocol/json.js';
import type { CodeRow } from './code-task.js';

/** Patterns of entities whose form tells what they are, in any language. Each is bounded: no text makes one of them slow. */
const patterns = {
  email: /[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu,
  url: /\bhttps?:\/\/[^\s<>"']{1,2000}[^\s<>"'.,;:!?)\]]/gu,
  phone: /(?<![\w+])\+?\(?\d{1,4}\)?(?:[ ./-]?\(?\d{2,4}\)?){2,5}(?![\w])/gu,
  date: /\b(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b/gu,
  time: /\b(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b\.?)?/giu,
  money:
    /(?:[$€£¥₹]\s?\d[\d.,]{0,20}\d|[$€£¥₹]\s?\d|\b\d[\d.,]{0,20}\s?(?:[$€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|INR|CNY)\b)|\b(?:USD|EUR|GBP|JPY|CHF|INR|CNY)\s?\d[\d.,]{0,20})/gu,
  percent: /(?<![\w.,])[+-]?\d{1,20}(?:[.,]\d{1,20})?\s?%/gu,
  ip: /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/gu,
  hashtag: /(?<!\w)#[\p{L}\p{N}_]{1,100}/gu,
  mention: /(?<![\w.])@[\p{L}\p{N}_]{1,100}/gu,
} as const satisfies Readonly<Record<string, RegExp>>;

const otherNames: Readonly<Record<string, keyof typeof patterns>> = {
  mail: 'email',
  emailaddress: 'email',
  link: 'url',
  website: 'url',
  webaddress: 'url',
  phonenumber: 'phone',
  telephone: 'phone',
  telephonenumber: 'phone',
  price: 'money',
  amount: 'money',
  currency: 'money',
  percentage: 'percent',
  ipaddress: 'ip',
};

/** The pattern of a class of entities, however it is spelled: `E-mail`, `email addresses`; undefined where it has none. */
export function patternOf(name: JsonValue): RegExp | undefined {
  if (typeof name !== 'string') return undefined;
  const bare = name.toLowerCase().replace(/[^a-z]/gu, '');
  for (const spelled of [bare, bare.replace(/es$/u, ''), bare.replace(/s$/u, '')]) {
    const key = otherNames[spelled] ?? spelled;
    if (Object.hasOwn(patterns, key)) return patterns[key as keyof typeof patterns];
  }
  return undefined;
}

/** Each class's entities in the order in which they stand in the text; a pattern is sure of what it finds. */
export function entities(text: string, wanted: readonly string[]): readonly CodeRow[] {
  return wanted.flatMap((Entity) =>
    [...text.matchAll(patternOf(Entity) ?? /(?!)/gu)].map(([Word]) => ({ Entity, Score: 1, Word })),
  );
}
