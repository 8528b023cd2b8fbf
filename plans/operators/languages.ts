/** Languages as users name them: by BCP-47 code or in words. */

/** Names of the languages that are asked for most, for models that do not know the codes; ISO 639-1. */
const names: Readonly<Record<string, string>> = {
  ar: 'Arabic',
  bg: 'Bulgarian',
  bn: 'Bengali',
  ca: 'Catalan',
  cs: 'Czech',
  da: 'Danish',
  de: 'German',
  el: 'Greek',
  en: 'English',
  es: 'Spanish',
  et: 'Estonian',
  fa: 'Persian',
  fi: 'Finnish',
  fr: 'French',
  he: 'Hebrew',
  hi: 'Hindi',
  hr: 'Croatian',
  hu: 'Hungarian',
  id: 'Indonesian',
  it: 'Italian',
  ja: 'Japanese',
  ko: 'Korean',
  lt: 'Lithuanian',
  lv: 'Latvian',
  ms: 'Malay',
  nb: 'Norwegian',
  nl: 'Dutch',
  no: 'Norwegian',
  pl: 'Polish',
  pt: 'Portuguese',
  ro: 'Romanian',
  ru: 'Russian',
  sk: 'Slovak',
  sl: 'Slovenian',
  sr: 'Serbian',
  sv: 'Swedish',
  sw: 'Swahili',
  ta: 'Tamil',
  th: 'Thai',
  tr: 'Turkish',
  uk: 'Ukrainian',
  ur: 'Urdu',
  vi: 'Vietnamese',
  zh: 'Chinese',
};

/** Language, script, region: the parts of BCP-47 that a translation can heed. */
const code = /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/i;
const name = /^\p{L}[\p{L}\p{M} ,()'’-]{2,59}$/u;

/** Whether a text can name a language: it has the form of a code, or of a name of at least three letters. */
export function isLanguage(text: string): boolean {
  return code.test(text.trim()) || name.test(text.trim());
}

/**
 * A language as a model is told it.
 *
 * @example
 * languageName('pt-BR') // 'Portuguese (pt-BR)'
 */
export function languageName(text: string): string {
  const tag = text.trim();
  const language = code.exec(tag)?.[1]?.toLowerCase();
  if (language === undefined) return tag;
  const known = Object.hasOwn(names, language) ? names[language] : undefined;
  if (known === undefined) return `the language "${tag}"`;
  return tag.length === 2 ? known : `${known} (${tag})`;
}
