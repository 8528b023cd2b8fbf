/** No vowels, so that no id is a word; no digits, so that no id is taken for a number of the item. */
const letters = 'bcdfghjkmnpqrstvwxz';
const length = 3;

/**
 * A short id for each key, no two alike. Ids come from the keys' own digits: the same tuples get the same ids whatever
 * their order, and a model that counts its items instead of copying their ids names ids that were never given.
 *
 * `keys` are lower-case hex digests, all different.
 *
 * @example idsOf(['9f86d081…', '60303ae2…']); // ['wkt', 'cqh']
 */
export function idsOf(keys: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return keys.map((key) => {
    let number = Number.parseInt(key.slice(0, 12), 16);
    let id = idOf(number);
    while (taken.has(id)) {
      number += 1;
      id = idOf(number);
    }
    taken.add(id);
    return id;
  });
}

function idOf(number: number): string {
  let rest = number;
  let id = '';
  while (id.length < length) {
    id += letters[rest % letters.length] ?? '';
    rest = Math.floor(rest / letters.length);
  }
  return id;
}
