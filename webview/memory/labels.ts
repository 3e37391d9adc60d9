import { html, type TemplateResult } from 'lit';
import {
  type Category,
  FILE_SOURCE,
  type Importance,
  type Origin,
  type Status,
} from '../../src/memory/entry.ts';
import type { EntryRow } from '../../src/protocol.ts';
import { t } from '../kit/l10n.ts';
import type { Sort } from './state.ts';

/** A category in the person's language. */
export function categoryName(category: Category): string {
  const names: Record<Category, string> = {
    decision: t('decision'),
    pattern: t('pattern'),
    bug: t('bug'),
    knowledge: t('knowledge'),
    warning: t('warning'),
  };
  return names[category] ?? category;
}

/** A status in the person's language. */
export function statusName(status: Status): string {
  const names: Record<Status, string> = {
    active: t('Active'),
    draft: t('Draft'),
    archived: t('Archived'),
    forgotten: t('Forgotten'),
    superseded: t('Superseded'),
  };
  return names[status] ?? status;
}

/** An importance in the person's language. */
export function importanceName(importance: Importance | '' | null): string {
  const names: Record<Importance, string> = {
    critical: t('Critical'),
    high: t('High'),
    medium: t('Medium'),
    low: t('Low'),
  };
  return importance ? (names[importance] ?? importance) : t('Automatic');
}

/** Who knowledge comes from, in the person's language. */
export function originName(origin: Origin): string {
  const names: Record<Origin, string> = {
    human: t('A person'),
    agent: t('An agent'),
    inferred: t('Inferred'),
  };
  return names[origin] ?? origin;
}

/** Where an entry that no person has confirmed comes from, in the person's language. */
export function unconfirmedText({ source }: Pick<EntryRow, 'source'>): string {
  return source === FILE_SOURCE
    ? t('From a memory file and not confirmed by a person here yet.')
    : t('Written by an agent and not confirmed by a person yet.');
}

/** A sort in the person's language. */
export function sortName(sort: Sort): string {
  const names: Record<Sort, string> = {
    updated: t('Last updated'),
    created: t('Created'),
    key: t('Key'),
    category: t('Category'),
    quality: t('Quality'),
    used: t('Most used'),
  };
  return names[sort];
}

/** A category as a coloured dot with its name. */
export function categoryLabel(category: Category): TemplateResult {
  return html`<span class="category ${category}">${categoryName(category)}</span>`;
}
