import { type Html, html } from './html.js';

export interface HtmlColumn<T> {
  readonly title: string;
  readonly align?: 'right';
  readonly cell: (row: T) => string | Html;
}

const side = (align: 'right' | undefined): Html => (align === undefined ? html`` : html` class="right"`);

/** A table that scrolls by itself where it is wider than the page. */
export function table<T>(columns: readonly HtmlColumn<T>[], rows: readonly T[]): Html {
  const head = columns.map(({ title, align }) => html`<th${side(align)}>${title}</th>`);
  const body = rows.map(
    (row) => html`<tr>${columns.map(({ align, cell }) => html`<td${side(align)}>${cell(row)}</td>`)}</tr>\n`,
  );
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>`;
}
