import type { CSSResultGroup, PropertyDeclarations, TemplateResult } from 'lit';
import type { BatchView } from '../../src/subagentProtocol.ts';
import { t } from '../kit/l10n.ts';
import { type RowContext, RowTree } from '../kit/tree.ts';
import { buildRows, type Row, rowWord } from './rows.ts';
import type { Place } from './state.ts';
import { lineStyles, treeRow } from './tree-row.ts';

/** How a task was opened. */
export interface Opening extends Place {
  readonly key: boolean;
}

/** Batches and their tasks. Fires `lode-open` (Opening) and `lode-fold` {id, open}. */
export class SubagentsTree extends RowTree<Row> {
  static override properties: PropertyDeclarations = { ...RowTree.properties, batches: { attribute: false } };
  declare batches: readonly BatchView[];

  static override styles: CSSResultGroup = [RowTree.styles, lineStyles];

  constructor() {
    super();
    this.batches = [];
  }

  protected override get label(): string {
    return t('Subagents');
  }

  protected override changesRows(changed: ReadonlyMap<PropertyKey, unknown>): boolean {
    return changed.has('batches') || changed.has('open');
  }

  protected override buildRows(): readonly Row[] {
    return buildRows(this.batches, this.open);
  }

  protected override line(row: Row, context: RowContext): TemplateResult {
    return treeRow(row, context);
  }

  protected override word(row: Row): string {
    return rowWord(row);
  }

  protected override enter(row: Row, key: boolean): void {
    if (row.kind === 'batch') this.fold(row, !row.open);
    else this.fire('lode-open', { batch: row.batch.id, task: row.task.id, key } satisfies Opening);
  }

  protected override fold(row: Row, open: boolean): void {
    this.fire('lode-fold', { id: row.batch.id, open });
  }
}
