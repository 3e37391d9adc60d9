/** `ui://viewer`: memory as one page without scripts, without network, and with nothing in it but escaped text. */
import type { Entry } from '../memory/entry.ts';
import { oneLine } from '../memory/line.ts';
import { isoDate } from '../memory/ttl.ts';
import type { GraphReport } from '../worker/careApi.ts';

/** More circles than this are a blot. */
const DRAWN = 120;
const SIZE = 640;
const RADIUS = 280;

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
svg { width: 100%; max-height: 70vh; }
line { stroke: currentColor; opacity: .35; }
circle { fill: #2f6fd0; } .bug circle { fill: #b3402e; } .warning circle { fill: #a36a00; }
.pattern circle { fill: #2d7d46; } .knowledge circle { fill: #6a5acd; }
a:focus-visible circle { stroke: currentColor; stroke-width: 3; }
details { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; font: inherit; }
.facts { opacity: .75; font-size: .85em; overflow-wrap: anywhere; }`;

/** The page. Texts of entries, which anybody may have written, appear as text only. */
export function viewerPage({ nodes, edges }: GraphReport): string {
  const byId = new Map(nodes.map((entry) => [entry.id, entry]));
  const linksFrom = (id: string): Entry[] =>
    edges.filter(({ from }) => from === id).flatMap(({ to }) => byId.get(to) ?? []);
  const items = [...nodes]
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updated - a.updated)
    .map((entry) => itemOf(entry, linksFrom(entry.id)));
  const body = items.length === 0 ? '<p>Nothing is remembered yet.</p>' : items.join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Lodeline memory</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Memory</h1>
<p>${nodes.length} ${nodes.length === 1 ? 'memory' : 'memories'}, ${edges.length} ${edges.length === 1 ? 'link' : 'links'}</p>
${pictureOf(nodes, edges)}
${body}
</body>
</html>
`;
}

function itemOf(entry: Entry, links: readonly Entry[]): string {
  const texts = [
    entry.content,
    ...entry.revisions.filter(({ addition }) => addition).map(({ text }) => text),
  ];
  const facts = [
    entry.file,
    entry.tags.join('; '),
    isoDate(entry.updated),
    `quality ${entry.quality.toFixed(2)}`,
    entry.level === 'PUBLIC' ? '' : entry.level,
    entry.confirmed ? '' : 'unconfirmed',
  ];
  const to = links.map(({ id, key }) => `<a href="#e-${safe(id)}">${safe(oneLine(key))}</a>`);
  return [
    `<details id="e-${safe(entry.id)}"><summary dir="auto">${entry.pinned ? '📌 ' : ''}[${safe(entry.category)}] <b>${safe(oneLine(entry.key))}</b></summary>`,
    ...texts.map((text) => `<pre dir="auto">${safe(text)}</pre>`),
    `<div class="facts">${safe(oneLine(facts.filter(Boolean).join(' · ')))}</div>`,
    ...(to.length > 0 ? [`<div class="facts">→ ${to.join(', ')}</div>`] : []),
    '</details>',
  ].join('\n');
}

/** Memories on a circle, in the order given, and the links between them. */
function pictureOf(nodes: readonly Entry[], edges: GraphReport['edges']): string {
  const drawn = nodes.slice(0, DRAWN);
  if (drawn.length < 2) return '';
  const places = new Map(
    drawn.map(({ id }, at) => {
      const angle = (2 * Math.PI * at) / drawn.length;
      const [x, y] = [Math.cos(angle), Math.sin(angle)].map((part) => (SIZE / 2 + RADIUS * part).toFixed(1));
      return [id, { x, y }] as const;
    }),
  );
  const lines = edges.flatMap(({ from, to }) => {
    const [a, b] = [places.get(from), places.get(to)];
    return a === undefined || b === undefined
      ? []
      : [`<line x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}"/>`];
  });
  const circles = drawn.map(({ id, key, category }) => {
    const { x, y } = places.get(id) ?? {};
    return `<a href="#e-${safe(id)}" class="${safe(category)}"><circle cx="${x}" cy="${y}" r="6"><title>${safe(oneLine(key))}</title></circle></a>`;
  });
  return `<svg viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="Memories and their links">\n${[...lines, ...circles].join('\n')}\n</svg>`;
}

/** A text inside an element or a quoted attribute. */
function safe(text: string): string {
  const signs: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.toWellFormed().replace(/[&<>"']/g, (sign) => signs[sign] ?? '');
}
