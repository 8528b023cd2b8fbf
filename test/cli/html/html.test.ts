import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, jsonScript } from '../../../cli/html/html.js';

const hostile = [
  '<script>',
  '</script>',
  '<!--',
  ']]>',
  '&lt;',
  '"',
  "'",
  '`',
  '${x}',
  '\u2028',
  '\ud800',
  '👍',
  '</td>',
];
const text = fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary' })), { maxLength: 6 });

describe('values in a page', () => {
  it('never open or close an element or an attribute', () => {
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        (value) => {
          const { source } = html`<p title="${value}">${value}</p>`;
          const inner = source.slice('<p title="'.length, -'</p>'.length);
          const [attribute = '', ...content] = inner.split('">');
          expect(content).toHaveLength(1);
          for (const part of [attribute, ...content]) expect(part).not.toMatch(/[<>"']/);
          expect(unescaped(attribute)).toBe(value);
        },
      ),
    );
  });

  it('of JSON stay inside their script and read back', () => {
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        (value) => {
          const { source } = jsonScript('x', { value });
          const body = source.slice(source.indexOf('>') + 1, source.lastIndexOf('</script>'));
          expect(body).not.toContain('<');
          expect(JSON.parse(body)).toEqual({ value });
        },
      ),
    );
  });

  it('are escaped once, however deep the page is nested', () => {
    const cell = html`<td>${'a & b'}</td>`;
    expect(html`<tr>${[cell, [cell]]}</tr>`.source).toBe('<tr><td>a &amp; b</td><td>a &amp; b</td></tr>');
  });
});

function unescaped(source: string): string {
  return source
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
}
