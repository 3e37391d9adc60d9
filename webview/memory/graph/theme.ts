import { CATEGORIES, type Category } from '../../../src/memory/entry.ts';

/** What a canvas is painted with: it cannot use the style sheet's variables itself. */
export interface GraphTheme {
  readonly categories: Readonly<Record<Category, string>>;
  readonly text: string;
  readonly quiet: string;
  readonly background: string;
  readonly focus: string;
  readonly selected: string;
  readonly font: string;
  readonly highContrast: boolean;
}

const COLOURS: Record<Category, string> = {
  decision: 'charts-blue',
  pattern: 'charts-purple',
  bug: 'charts-red',
  knowledge: 'charts-green',
  warning: 'charts-yellow',
};

/** Wider is an editor tab, whose background is another one than that of side bars. */
const WIDE = 700;

/** The editor's colours as they are now. */
export function themeOf(element: Element): GraphTheme {
  const style = getComputedStyle(element);
  const text = style.color;
  const read = (name: string, other = text): string =>
    style.getPropertyValue(`--vscode-${name}`).trim() || other;
  const background = read(innerWidth >= WIDE ? 'editor-background' : 'sideBar-background', 'transparent');
  return {
    categories: Object.fromEntries(
      CATEGORIES.map((category) => [category, read(COLOURS[category])]),
    ) as Record<Category, string>,
    text,
    quiet: read('descriptionForeground'),
    background,
    focus: read('focusBorder'),
    selected: read('textLink-foreground'),
    font: `11px ${read('font-family', 'sans-serif')}`,
    highContrast: document.body.matches('.vscode-high-contrast, .vscode-high-contrast-light'),
  };
}

/** Calls back when the editor's theme changes; returns how to stop. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-kind', 'data-vscode-theme-id'],
  });
  return () => observer.disconnect();
}
