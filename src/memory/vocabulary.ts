/**
 * Tag inference (seed 001, "Automatically inferred tags"): the seed's twenty tags and a few more that
 * developers use, each with the words that name it. English words match whole; Korean ones as the start of a
 * word, since particles follow.
 */
const VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  redis: ['redis', '레디스'],
  auth: [
    'auth',
    'oauth',
    'login',
    'logout',
    'jwt',
    'sso',
    'authentication',
    'authorization',
    '인증',
    '로그인',
    '인가',
  ],
  api: ['api', 'graphql', 'endpoint', 'endpoints', 'grpc', '엔드포인트'],
  db: [
    'db',
    'database',
    'sql',
    'postgres',
    'postgresql',
    'mysql',
    'sqlite',
    'mongodb',
    'migration',
    '데이터베이스',
    '마이그레이션',
    '디비',
  ],
  security: [
    'security',
    'xss',
    'csrf',
    'vulnerability',
    'encryption',
    'sanitize',
    '보안',
    '취약점',
    '암호화',
  ],
  test: ['test', 'tests', 'testing', 'vitest', 'jest', 'pytest', 'fixture', '테스트'],
  deploy: ['deploy', 'deployment', 'rollout', 'docker', 'kubernetes', 'helm', '배포'],
  config: ['config', 'configuration', 'env', 'settings', '설정', '환경변수'],
  performance: ['performance', 'latency', 'throughput', 'slow', 'benchmark', '성능', '지연'],
  refactor: ['refactor', 'refactoring', 'refactored', '리팩터링', '리팩토링'],
  error: ['error', 'errors', 'exception', 'crash', 'stacktrace', '오류', '에러', '예외'],
  logging: ['logging', 'logger', 'logs', 'telemetry', '로깅', '로그'],
  types: ['types', 'typing', 'typescript', 'zod', 'schema', '타입', '스키마'],
  async: ['async', 'await', 'promise', 'promises', 'concurrency', '비동기', '동시성'],
  state: ['state', 'redux', 'zustand', '상태'],
  ui: ['ui', 'frontend', 'css', 'component', 'components', 'react', 'vue', '화면', '컴포넌트'],
  storage: ['storage', 's3', 'bucket', 'filesystem', '저장소', '스토리지'],
  email: ['email', 'smtp', 'mailer', '이메일', '메일'],
  payment: ['payment', 'payments', 'stripe', 'invoice', 'billing', '결제', '청구'],
  webhook: ['webhook', 'webhooks', '웹훅'],
  git: ['git', 'rebase', 'branch', '브랜치'],
  ci: ['ci', 'pipeline', 'workflow', '파이프라인'],
  cache: ['cache', 'caching', 'memoize', '캐시'],
  build: ['build', 'bundler', 'esbuild', 'webpack', 'vite', '빌드'],
};

const HANGUL_START = /^[가-힣]/u;

/** Tags whose words occur in the text, in vocabulary order; `extra` is the project's own `{tag: [keyword]}`. */
export function inferTags(text: string, extra: Readonly<Record<string, readonly string[]>> = {}): string[] {
  const words = new Set(
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/@?[\p{L}\p{N}](?:[\p{L}\p{N}@/._-]*[\p{L}\p{N}])?/gu) ?? [],
  );
  const parts = new Set([...words].flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)));
  const hangul = [...parts].filter((part) => HANGUL_START.test(part));
  const named = (keyword: string): boolean =>
    HANGUL_START.test(keyword)
      ? hangul.some((part) => part.startsWith(keyword))
      : parts.has(keyword) || words.has(keyword);
  // A project's own keywords come beside those of the same tag here, not in their place.
  const tags = [...Object.entries(VOCABULARY), ...Object.entries(extra)]
    .filter(([, keywords]) => keywords.some((keyword) => named(keyword.normalize('NFC').toLowerCase())))
    .map(([tag]) => tag);
  return [...new Set(tags)];
}
