/** Which versions of what an entry speaks of, such as `React 18`, `node v20.11` or `react-19`. */
import type { FoldedEntry } from './fold.ts';

/** Words that a number follows without being a version. */
const NOT_NAMES = new Set(
  (
    'port line lines issue pr step page phase sprint ticket chapter section table figure day week month year part ' +
    'january february march april may june july august september october november december jan feb mar apr jun jul ' +
    'aug sep oct nov dec in on at of to by for and or the a an is top first last max min about after before since ' +
    'until from under over than with version error code status http level limit timeout retry wait size count number ' +
    'module task case item option rule stage round attempt tier layer shard worker milestone priority point ' +
    '포트 줄 이슈 단계 쪽 페이지 스프린트 티켓 장 절 표 그림 오류 에러 상태 모듈 작업 규칙 항목 우선순위'
  ).split(' '),
);

const MENTION =
  /(?<![\p{L}\p{N}@/._-])(@?\p{L}[\p{L}\p{N}+#./]*(?:-\p{L}[\p{L}\p{N}]*)*)(?:\s+|[-_@]|\s*버전\s*)v?(\d{1,4}(?:\.\d{1,6}){0,3})(?![\p{L}\p{N}%]|\.\d)/giu;

/** What stands before a version that follows another one of the same name: `React 18 → 19`. */
const NEXT = /^\s*(?:->|→|=>|to|에서|부터)\s*v?(\d{1,4}(?:\.\d{1,6}){0,3})(?![\p{L}\p{N}%]|\.\d)/iu;

/** The highest version of each name that an entry's key and content mention, by the name in lower case. */
export function versionsIn({
  key,
  content,
}: Pick<FoldedEntry, 'key' | 'content'>): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const text of [key, content]) {
    for (const match of text.normalize('NFC').matchAll(MENTION)) {
      const name = (match[1] ?? '').toLowerCase().replace(/^[-_.]+|[-_.]+$/gu, '');
      if (NOT_NAMES.has(name)) continue;
      const next = NEXT.exec(text.normalize('NFC').slice(match.index + match[0].length))?.[1];
      for (const version of [match[2] ?? '', next ?? '']) {
        const known = versions.get(name);
        if (version !== '' && (known === undefined || compareVersions(version, known) > 0))
          versions.set(name, version);
      }
    }
  }
  return versions;
}

/** Compares `19` and `18.2` part by part as numbers; a missing part is 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
