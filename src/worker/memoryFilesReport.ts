import type { FileProblemKind, FilesReport } from './filesApi.ts';

type Mutable<Value> = {
  -readonly [Name in keyof Value]: Value[Name] extends readonly (infer Item)[] ? Item[] : Value[Name];
};

/** A report that is being filled. */
type OpenReport = Mutable<FilesReport>;

export function emptyReport(isBusy: boolean): OpenReport {
  return {
    ...{ isBusy, written: [], removed: [], created: [], changed: [], restored: [], forgotten: [] },
    ...{ problems: [], missing: [] },
  };
}

/** Notes what is wrong with a file, each thing once. */
export function note(report: OpenReport, kind: FileProblemKind, file: string, detail: string): undefined {
  if (report.problems.some((known) => known.kind === kind && known.file === file)) return;
  report.problems.push({ kind, file, detail });
}
