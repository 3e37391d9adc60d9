import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../../kit/l10n.ts';
import { visibleLine } from '../../kit/text.ts';
import type { GraphModel } from './model.ts';
import { shapeIcon } from './shapes.ts';

/** An entry with more is better looked at by itself. */
const MOST = 200;

/** What a node is linked with, as a list: the Tab key goes through all of it. */
export function besideList(
  { map, beside }: GraphModel,
  node: number,
  go: { to(node: number): void; open(id: string): void },
): TemplateResult | typeof nothing {
  const entry = map.nodes[node];
  if (entry === undefined) return nothing;
  const neighbours = (beside[node] ?? []).slice(0, MOST).flatMap((at) => {
    const other = map.nodes[at];
    return other === undefined
      ? []
      : [
          html`<li><button class="link" @click=${() => go.to(at)}>${shapeIcon(other.category)}<bdi class="ellipsis">${visibleLine(other.key)}</bdi></button></li>`,
        ];
  });
  return html`<section class="beside" aria-label=${t('Linked entries')}>
    <h2>${shapeIcon(entry.category)}<button class="link ellipsis" @click=${() => go.open(entry.id)}><bdi>${visibleLine(entry.key)}</bdi></button></h2>
    ${
      neighbours.length === 0
        ? html`<p class="muted">${t('It is linked with nothing.')}</p>`
        : html`<ul>${neighbours}</ul>`
    }
  </section>`;
}
