import { html, nothing, type TemplateResult } from 'lit';
import { CATEGORIES, IMPORTANCE } from '../../src/memory/entry.ts';
import type { EntryDetail } from '../../src/protocol.ts';
import { t } from '../kit/l10n.ts';
import { categoryName, importanceName } from './labels.ts';
import { cutReferences } from './references.ts';
import { asCategory, type Fields } from './state.ts';

export type FieldErrors = Partial<Record<keyof Fields, string>>;

export const NO_FIELDS: Fields = {
  key: '',
  category: 'knowledge',
  content: '',
  file: '',
  tags: [],
  links: [],
  importance: '',
  ttl: '',
};

/** An entry's fields as a form holds them. Links that the content itself makes are not among them. */
export function fieldsOf(entry: EntryDetail): Fields {
  const inContent = new Set(cutReferences(entry.content).map(({ key }) => key));
  return {
    key: entry.key,
    category: entry.category,
    content: normalLines(entry.content),
    file: entry.file,
    tags: entry.tags,
    links: entry.linked.map(({ key }) => key).filter((key) => !inContent.has(key)),
    importance: entry.importance ?? '',
    ttl: entry.expires === null ? '' : ttlOf(entry.expires),
  };
}

/** A moment as a person would write it: a date when it is the end of that day, else with the minute. */
function ttlOf(expires: number): string {
  const iso = new Date(expires).toISOString();
  return iso.endsWith('T23:59:59.999Z') ? iso.slice(0, 10) : `${iso.slice(0, 16)}Z`;
}

/** A text area turns every line end into "\n"; that alone must not look like an edit. */
function normalLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** The names of the fields that differ. */
export function changedFields(before: Fields, after: Fields): readonly (keyof Fields)[] {
  const names = Object.keys(NO_FIELDS) as (keyof Fields)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** What keeps these fields from being saved. */
export function validate(fields: Fields): FieldErrors {
  return {
    ...(fields.key.trim() === '' ? { key: t('A key is needed.') } : {}),
    ...(fields.content.trim() === '' ? { content: t('There is nothing to remember yet.') } : {}),
    ...(isTtl(fields.ttl.trim()) ? {} : { ttl: t('Use 7d, 24h or a date such as 2030-12-31.') }),
  };
}

function isTtl(text: string): boolean {
  if (text === '' || /^\d{1,9}[hd]$/i.test(text)) return true;
  return /^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The input of `memory_edit`: what changed and nothing else. */
export function editInput(id: string, base: Fields, fields: Fields): Record<string, unknown> {
  const values: Record<keyof Fields, readonly [string, unknown]> = {
    key: ['key', id],
    category: ['category', fields.category],
    content: ['content', fields.content],
    file: ['file', fields.file.trim()],
    tags: ['set_tags', fields.tags],
    links: ['set_links', fields.links],
    importance: ['importance', fields.importance === '' ? 'automatic' : fields.importance],
    ttl: ['ttl', fields.ttl.trim()],
  };
  return { key: id, ...Object.fromEntries(changedFields(base, fields).map((name) => values[name])) };
}

/** The input of `memory_remember`, without what was left empty. */
export function rememberInput(fields: Fields): Record<string, unknown> {
  const { tags, links, importance } = fields;
  const file = fields.file.trim();
  const ttl = fields.ttl.trim();
  return {
    category: fields.category,
    key: fields.key.trim(),
    content: fields.content,
    ...(file === '' ? {} : { file }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(links.length === 0 ? {} : { links }),
    ...(ttl === '' ? {} : { ttl }),
    ...(importance === '' ? {} : { importance }),
  };
}

export interface FormOptions {
  readonly fields: Fields;
  readonly errors: FieldErrors;
  /** A new entry's key can be chosen; later it is its identity. */
  readonly isNew: boolean;
  change(change: Partial<Fields>): void;
}

/** The controls of the form. */
export function formFields({ fields, errors, isNew, change }: FormOptions): TemplateResult {
  const error = (name: keyof Fields) =>
    errors[name] === undefined ? nothing : html`<p class="error" role="alert">${errors[name]}</p>`;
  const text = (name: 'key' | 'file' | 'ttl', label: string, placeholder: string) => html`<div>
    <vscode-text-field
      name=${name} placeholder=${placeholder} .value=${fields[name]} aria-invalid=${errors[name] === undefined ? 'false' : 'true'}
      @input=${(event: Event) => change({ [name]: typedIn(event) })}
    >${label}</vscode-text-field>${error(name)}</div>`;
  const list = (name: 'tags' | 'links', label: string, placeholder: string) => html`<div>
    <span class="label" aria-hidden="true">${label}</span>
    <lode-tags .label=${label} .placeholder=${placeholder} .values=${fields[name]}
      @lode-change=${({ detail }: CustomEvent<readonly string[]>) => change({ [name]: detail })}></lode-tags></div>`;
  return html`
    <div><vscode-text-area
      name="content" rows="8" resize="vertical" .value=${fields.content} aria-invalid=${errors.content === undefined ? 'false' : 'true'}
      @input=${(event: Event) => change({ content: typedIn(event) })}
    >${t('Content')}</vscode-text-area>${error('content')}</div>
    ${isNew ? text('key', t('Key'), '') : nothing}
    <div class="pair">
      <div><span class="label" aria-hidden="true">${t('Category')}</span>
        <lode-select .label=${t('Category')} .value=${fields.category}
          .options=${CATEGORIES.map((value) => ({ value, label: categoryName(value) }))}
          @lode-change=${({ detail }: CustomEvent<string>) => change({ category: asCategory(detail) || fields.category })}
        ></lode-select></div>
      <div><span class="label" aria-hidden="true">${t('Importance')}</span>
        <lode-select .label=${t('Importance')} .value=${fields.importance}
          .options=${(['', ...IMPORTANCE] as const).map((value) => ({ value, label: importanceName(value) }))}
          @lode-change=${({ detail }: CustomEvent<string>) => change({ importance: IMPORTANCE.find((value) => value === detail) ?? '' })}
        ></lode-select></div>
    </div>
    ${list('tags', t('Tags'), t('Enter adds a tag'))}
    ${list('links', t('Links'), t('Keys of related entries'))}
    ${text('file', t('File'), 'src/app.ts:42')}
    ${text('ttl', t('Expires'), t('Never; or 7d, 24h, 2030-12-31'))}
  `;
}

function typedIn(event: Event): string {
  return (event.target as EventTarget & { value: string }).value;
}
