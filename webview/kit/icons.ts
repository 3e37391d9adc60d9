import { html, svg, type TemplateResult } from 'lit';

/** Icons are drawn inline: an icon font would be a third of the panel's weight for a few signs. */
function icon(paths: TemplateResult): TemplateResult {
  return html`<svg
    class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"
    fill="none" stroke="currentColor" stroke-width="1.2" stroke-linecap="round" stroke-linejoin="round"
  >${paths}</svg>`;
}

export const icons = {
  add: icon(svg`<path d="M8 3v10M3 8h10"/>`),
  zoomOut: icon(svg`<path d="M3 8h10"/>`),
  fit: icon(svg`<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/>`),
  links: icon(
    svg`<circle cx="3.5" cy="8" r="1.8"/><circle cx="12" cy="3.8" r="1.8"/><circle cx="12" cy="12.2" r="1.8"/><path d="m5.2 7.2 5-2.5M5.2 8.8l5 2.5"/>`,
  ),
  lock: icon(svg`<path d="M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5"/>`),
  back: icon(svg`<path d="M13 8H3M7 4 3 8l4 4"/>`),
  close: icon(svg`<path d="m4 4 8 8M12 4l-8 8"/>`),
  search: icon(svg`<circle cx="7" cy="7" r="4"/><path d="m10 10 3.5 3.5"/>`),
  filter: icon(svg`<path d="M2 4h12M4.5 8h7M7 12h2"/>`),
  pin: icon(svg`<path d="M5.5 2.5h5M6 2.5v4L4 9h8l-2-2.5v-4M8 9v4.5"/>`),
  file: icon(svg`<path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3"/>`),
  down: icon(svg`<path d="M8 3v10M4 9l4 4 4-4"/>`),
  up: icon(svg`<path d="M8 13V3M4 7l4-4 4 4"/>`),
  openAside: icon(svg`<path d="M8.5 3H3v10h10V7.5M10 2.5h3.5V6M13.5 2.5 8 8"/>`),
  check: icon(svg`<path d="m3.5 8.5 3 3 6-7"/>`),
  open: icon(svg`<path d="m4 6 4 4 4-4"/>`),
  closed: icon(svg`<path d="m6 4 4 4-4 4"/>`),
  more: icon(svg`<path d="M4 8h.01M8 8h.01M12 8h.01" stroke-width="2"/>`),
  note: icon(svg`<path d="M3 3.5h10v7H7.5L5 13v-2.5H3z"/>`),
  start: icon(svg`<path d="M5 3.5v9l7.5-4.5z"/>`),
  resume: icon(svg`<path d="M3 3v4.5a2 2 0 0 0 2 2h8M10 6.5l3 3-3 3"/>`),
  pending: icon(svg`<circle cx="8" cy="8" r="5.5"/>`),
  active: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M6.6 5.6v4.8l4-2.4z" fill="currentColor"/>`),
  completed: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="m5.4 8.2 1.9 1.9 3.4-4"/>`),
  abandoned: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="m4.3 11.7 7.4-7.4"/>`),
  running: icon(svg`<circle cx="8" cy="8" r="5.5" opacity=".3"/><path d="M8 2.5A5.5 5.5 0 0 1 13.5 8"/>`),
  failed: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="m6 6 4 4M10 6l-4 4"/>`),
  interrupted: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.6M8 10.9v.1"/>`),
  conflict: icon(svg`<path d="M8 2.5 14 13H2zM8 6.5v3M8 11.3v.1"/>`),
  review: icon(svg`<circle cx="8" cy="8" r="5.5"/><circle cx="8" cy="8" r="2" fill="currentColor"/>`),
  copy: icon(svg`<path d="M6 5.5h7v8H6zM10 5.5v-3H3v8h3"/>`),
  undo: icon(svg`<path d="M5.5 3 2.5 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6"/>`),
  branch: icon(
    svg`<circle cx="5" cy="4" r="1.5"/><circle cx="5" cy="12" r="1.5"/><circle cx="11" cy="6" r="1.5"/><path d="M5 5.5v5M11 7.5c0 2-3 2.5-6 2.5"/>`,
  ),
  folder: icon(svg`<path d="M2.5 4h4l1.5 2h5.5v6.5h-11z"/>`),
  send: icon(svg`<path d="M2.5 8h5.5M2.5 2.5 13.5 8l-11 5.5 1.5-5.5z"/>`),
  reply: icon(svg`<path d="M6.5 4 3 7.5 6.5 11M3 7.5h6a4 4 0 0 1 4 4v1"/>`),
  announce: icon(svg`<path d="M3 6.5v3h2l5 3v-9l-5 3zM12 6.5a2 2 0 0 1 0 3"/>`),
  clock: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.2l2.2 1.3"/>`),
  archive: icon(svg`<path d="M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9V6.5M6.5 9h3"/>`),
  stop: icon(svg`<rect x="4.5" y="4.5" width="7" height="7"/>`),
  wrap: icon(svg`<path d="M2.5 4h11M2.5 8H12a2 2 0 0 1 0 4H8.5M10 10.3 8.3 12l1.7 1.7M2.5 12H5"/>`),
};
