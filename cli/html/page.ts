import { Html, html, jsonScript } from './html.js';

export interface Section {
  readonly title: string;
  readonly body: Html;
}

const css = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --page: #fff; --soft: #f6f8fa;
  --asked: #2f6fde; --cached: #8fb4f2; --failed: #c93c37; --open: #d0d7de; --warn: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9198a1; --line: #3d444d; --page: #0d1117;
  --soft: #151b23; --asked: #4c8dff; --cached: #2b4a80; --failed: #f0625c; --open: #3d444d; --warn: #d29922 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 72rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2.25rem 0 .5rem }
p { margin: .35rem 0 } .dim { color: var(--dim) } .warn { color: var(--warn) } .failed { color: var(--failed) }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
pre.tree { white-space: pre; overflow-wrap: normal }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 14px }
th, td { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
th { color: var(--dim); font-weight: 600; white-space: nowrap } .right { text-align: right; white-space: nowrap }
td { overflow-wrap: anywhere; min-width: 4rem; max-width: 30rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: .5rem 0 }
dt { color: var(--dim) } dd { margin: 0; overflow-wrap: anywhere }
.text { min-width: 14rem }
.asked { fill: var(--asked) } .cached { fill: var(--cached) } .bad { fill: var(--failed) } .open { fill: var(--open) }
.grid { stroke: var(--line) } .line { fill: none; stroke: var(--asked); stroke-width: 1.5 }
.dot { fill: var(--cached) } .dot.chosen, .key.chosen { fill: var(--warn); background: var(--warn) }
.dot.direct, .key.direct { fill: var(--failed); background: var(--failed) }
i.key { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 1em; border-radius: 2px }
footer { margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line) }
`;

/** One file that needs no network and no script. `data`: the same figures for programs, as JSON in `#report`. */
export function page(title: string, head: Html, sections: readonly Section[], foot: string, data: object): string {
  const body = sections.map((section) => html`<section><h2>${section.title}</h2>\n${section.body}</section>\n`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${css}</style></head>
<body><header><h1>${title}</h1>
${head}</header>
${body}<footer class="dim">${foot}</footer>
${jsonScript('report', data)}
</body></html>
`.source;
}
