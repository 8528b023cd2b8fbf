import type { CodeRow } from './code-task.js';

interface Heading {
  readonly level: number;
  readonly title: string;
}

/**
 * The sections of a text by its headings: Markdown (`## Title`, or a line underlined with = or -) and numbered lines
 * (`2.1 Title`). Numbers from 1 in order; the parent of a section is the nearest one before it of a lower level. What stands
 * before the first heading is a section of level 0 without a title.
 */
export function outline(text: string): readonly CodeRow[] {
  const lines = text.split('\n');
  const sections: { level: number; title: string; lines: string[] }[] = [];
  let open = { level: 0, title: '', lines: [] as string[] };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const underlined = underline(line, lines[at + 1]);
    const heading = underlined ?? headingOf(line);
    if (heading === undefined) {
      open.lines.push(line);
      continue;
    }
    sections.push(open);
    open = { ...heading, lines: [] };
    if (underlined !== undefined) at += 1;
  }
  sections.push(open);
  const kept = sections.filter(({ title, lines: own }) => title !== '' || own.some((line) => line.trim() !== ''));
  return kept.map(({ level, title, lines: own }, at) => ({
    SecIdx: at + 1,
    ParentIdx: parentOf(kept, at),
    Level: level,
    Title: title,
    Content: own.join('\n').trim(),
  }));
}

function headingOf(line: string): Heading | undefined {
  const marked = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/u.exec(line);
  if (marked !== null) return { level: marked[1]?.length ?? 1, title: marked[2] ?? '' };
  // a sentence that begins with a number is no heading
  const numbered = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]+(\p{L}[^\n]{0,118}[^\s.!?;:,])$/u.exec(line.trimEnd());
  if (numbered === null) return undefined;
  return { level: (numbered[1] ?? '').split('.').length, title: numbered[2] ?? '' };
}

function underline(line: string, next: string | undefined): Heading | undefined {
  if (line.trim() === '' || next === undefined) return undefined;
  if (/^={3,}\s*$/u.test(next)) return { level: 1, title: line.trim() };
  return /^-{3,}\s*$/u.test(next) ? { level: 2, title: line.trim() } : undefined;
}

function parentOf(sections: readonly Heading[], own: number): number | null {
  const level = sections[own]?.level ?? 0;
  for (let at = own - 1; at >= 0; at -= 1) {
    const above = sections[at];
    if (above !== undefined && above.level < level && above.level > 0) return at + 1;
  }
  return null;
}
