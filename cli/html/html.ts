/** Text that is HTML. Only the tag `html` makes it, so that nothing from the data gets in unescaped. */
export class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type Part = string | number | Html | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

function written(part: Part): string {
  if (part instanceof Html) return part.source;
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => entities[character] ?? character);
  return typeof part === 'number' ? String(part) : part.map(written).join('');
}

/** `` html`<td>${text}</td>` ``: values are escaped unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + (at < parts.length ? written(parts[at] as Part) : '')).join(''));
}

/** JSON for a `<script type="application/json">`: no text in it can end the element. */
export function jsonScript(id: string, value: object): Html {
  const source = JSON.stringify(value).replace(/</g, '\\u003c');
  return new Html(`<script type="application/json" id="${id}">${source}</script>`);
}
