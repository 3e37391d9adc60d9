/** Korean is a language like any other: particles, spellings, keys, links and budgets. */
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/recall/tokens.ts';
import { openTestTools } from '../support/folder.ts';

const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key);

const SUBJECTS = '토큰 배포 캐시 풀 레디스 로그 세션 결제 웹훅 이메일 빌드'.split(' ');
const DEEDS = ['매일 새로 만든다', '금요일에 멈춘다', '두 번 확인한다', '팀에 알린다', '밤에 지운다'];
const REASONS = ['비용 때문이다', '장애 때문이다'];

/** A hundred and ten sentences in which each noun has the same particle; a noun is in ten of them. */
async function corpus() {
  const tools = openTestTools();
  const notes = SUBJECTS.flatMap((subject) =>
    DEEDS.flatMap((deed) =>
      REASONS.map((reason) => ({ subject, content: `우리 팀은 ${subject}를 ${deed}, ${reason}` })),
    ),
  );
  for (const [at, { content }] of notes.entries())
    await tools.call('memory_remember', { category: 'knowledge', key: `n-${at}`, content, tags: 'memo' });
  const about = (subject: string) =>
    notes.flatMap((note, at) => (note.subject === subject ? [`n-${at}`] : []));
  return { ...tools, about };
}

describe('a hundred sentences with the same particle', () => {
  it('are told apart by their nouns, with any particle, in both rankings, however they are encoded', async () => {
    const { call, about } = await corpus();
    for (const [query, subject] of [
      ['토큰을', '토큰'],
      ['배포를', '배포'],
      ['캐시를', '캐시'],
      ['풀을', '풀'],
      ['레디스는', '레디스'],
      ['세션에서'.normalize('NFD'), '세션'],
      ['웹훅', '웹훅'],
    ] as const)
      for (const rrf of [true, false]) {
        const found = keys(await call('memory_recall', { query, limit: 10, rrf }));
        expect({ query, rrf, found: found.toSorted() }).toEqual({
          ...{ query, rrf },
          found: about(subject).toSorted(),
        });
      }
  });

  it('are found by a word with a slip in it', async () => {
    const { call, about } = await corpus();
    for (const [query, subject] of [
      ['래디스', '레디스'],
      ['이메알', '이메일'],
    ] as const) {
      const [first = ''] = keys(await call('memory_recall', { query }));
      expect({ query, is: about(subject).includes(first) }).toEqual({ query, is: true });
    }
  });

  it('keep to a budget in real tokens', async () => {
    const { call } = await corpus();
    for (const budget_tokens of [60, 200, 500]) {
      const { text } = await call('memory_recall', { query: '배포', budget: 'deep', budget_tokens });
      expect(await countTokens(text)).toBeLessThanOrEqual(budget_tokens);
      expect(text).toContain('배포');
    }
  });
});

describe('Korean keys and words', () => {
  async function linked() {
    const tools = openTestTools();
    const save = (key: string, content: string, rest: object = {}) =>
      tools.call('memory_remember', { category: 'decision', key, content, ...rest });
    await save('위험-명세', '엔진의 위험 기준');
    await save('우선순위', '속도보다 안전이 먼저다. [[위험-명세]] 참고');
    await save('점심', '금요일에는 국');
    return { ...tools, save };
  }

  it.each(['NFC', 'NFD'])('are what [[…]] leads to, in recall, paths and health (%s)', async (form) => {
    const { call, save } = await linked();
    await save('더-보기', `자세히: [[${'위험-명세'.normalize(form)}]]`);
    const graph = await call('memory_recall', { query: '속도', mode: 'graph' });
    expect(keys(graph)).toContain('위험-명세');
    expect(keys(graph)).not.toContain('점심');
    const path = await call('memory_graph_path', { from: '더-보기', to: '우선순위' });
    expect(path.text).toMatch(/^🧭 2 steps:/);
    expect((await call('context_health')).text).toMatch(/^✅ Memory health: 100\/100/);
  });

  it.each([
    ['database', '데이터베이스는 밤에 백업한다'],
    ['배포', 'We deploy on Mondays only'],
    ['캐시', 'The cache is filled at start'],
    ['인증', 'Login needs a second factor'],
  ])('mean the same as in English: %s', async (query, content) => {
    const { call, save } = await linked();
    await save('other-language', content);
    expect(keys(await call('memory_recall', { query }))[0]).toBe('other-language');
  });

  it('get tags, and a warning in Korean speaks up', async () => {
    const { call, save } = await linked();
    const warning = '레디스 풀을 0으로 두지 마세요';
    await call('memory_remember', { category: 'warning', key: '풀-경고', content: warning });
    const { text } = await save('풀-크기', '레디스 풀을 0으로 둔다');
    expect(text).toMatch(/^🏷️ Inferred tags: .*redis/m);
    expect(text).toMatch(/^⚠️ .*\n(?:.*\n)*?.*풀-경고/m);
  });
});
