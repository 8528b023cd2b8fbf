const length = 300;

/** The first 300 characters of a text that is longer. */
export function cut(text: string): string {
  const characters = Array.from(text.slice(0, 2 * length + 2));
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}
