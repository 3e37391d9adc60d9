/*
 * Secrets that never were, put together when the tests run: written out, they would trip the scanners that
 * watch repositories.
 */

const ALPHABET = 'aB3dE7gH1jK9mN5pQ2rS8tU4vW6xY0zLfCbI';

/** `length` letters and digits that look generated, always the same. */
export function random(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHABET[(i * 7 + (i >> 3)) % ALPHABET.length];
  return text;
}

/** The parts as one text. */
export function glue(...parts: string[]): string {
  return parts.join('');
}

const base64 = (length: number) => glue('MII', random(length - 3));

/** A private key in PEM with the given line ends. */
export function pem(label: string, newline: string): string {
  const lines = [base64(64), random(64), random(64), random(40)];
  return [glue('-----BEGIN ', label, '-----'), ...lines, glue('-----END ', label, '-----')].join(newline);
}

/** A JSON web token with this header. */
export function jwt(header: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part(header), part({ sub: '1234567890', name: 'nobody' }), random(43)].join('.');
}

const serviceAccount = {
  email: 'nobody@example.invalid',
  muk: { alg: 'A256GCM', k: random(43) },
  secretKey: random(34),
  userAuth: { salt: '1' },
};

/** Per rule of secretlint's recommended preset: what it reports, and the part that must not remain. */
export const SECRETLINT_SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  aws: [
    whole('AWS secret key', random(40), (key) => `aws_secret_access_key = ${key}`),
    whole('AWS secret key', random(40), (key) => `AWS_SECRET_ACCESS_KEY=${key}`),
    whole('AWS secret key', random(40), (key) => `"SecretAccessKey": "${key}"`),
    whole('AWS secret key', random(40), (key) => `secretAccessKey => '${key}'`),
  ],
  privatekey: [
    whole('private key', pem('RSA PRIVATE KEY', '\n')),
    whole('private key', pem('PRIVATE KEY', '\n')),
    whole('private key', pem('EC PRIVATE KEY', '\\n'), (key) => `{"key": "${key}\\n"}`),
    whole('private key', pem('OPENSSH PRIVATE KEY', '\n').replace('MII', 'b3BlbnNzaC1rZXktdjE')),
  ],
  npm: [whole('npm token', glue('npm', '_', random(36)))],
  slack: [
    ...['xoxb', 'xoxp', 'xapp', 'xoxa', 'xoxo', 'xoxr'].map((prefix) =>
      whole('Slack token', glue(prefix, '-1', '23456-', random(12), '-', random(24))),
    ),
    whole(
      'Slack token',
      glue('https://hooks.', 'slack.com/services/T', random(8), '/B', random(8), '/', random(24)),
    ),
  ],
  sendgrid: [whole('SendGrid key', glue('S', 'G.', random(22), '.', random(43)))],
  shopify: ['shppa', 'shpca', 'shpat', 'shpss'].map((prefix) =>
    whole('Shopify key', glue(prefix, '_', random(32))),
  ),
  github: [
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((prefix) =>
      whole('GitHub token', glue(prefix, '_', random(36))),
    ),
    whole('GitHub token', glue('github', '_pat_', random(82))),
  ],
  openai: [
    whole('OpenAI key', glue('s', 'k-', random(20), 'T3Blbk', 'FJ', random(20))),
    ...['proj', 'svcacct', 'admin'].map((type) =>
      whole('OpenAI key', glue('s', 'k-', type, '-', random(74), 'T3Blbk', 'FJ', random(74))),
    ),
  ],
  anthropic: [
    whole('Anthropic key', glue('s', 'k-ant-', 'api03-', random(93), 'AA')),
    whole('Anthropic key', glue('s', 'k-ant-', 'api04-', random(93), 'AA')),
  ],
  linear: [whole('Linear key', glue('lin', '_api_', random(40)))],
  '1password': [
    whole(
      '1Password token',
      glue('op', 's_', Buffer.from(JSON.stringify(serviceAccount)).toString('base64')),
    ),
  ],
  basicauth: [
    whole('URL password', random(12), (password) =>
      glue('https', '://admin:', password, '@internal.example.com/x'),
    ),
    whole('URL password', random(12), (password) => glue('ftp', '://admin:', password, '@files.example.com')),
  ],
  'database-connection-string': [
    'mongodb',
    'mongodb+srv',
    'mysql',
    'mysqlx',
    'jdbc:mysql',
    'postgres',
    'postgresql',
  ].map((scheme) =>
    whole('URL password', random(12), (password) =>
      glue(scheme, '://app:', password, '@db.internal:1234/app'),
    ),
  ),
  gcp: [
    whole('private key', pem('PRIVATE KEY', '\n'), (key) =>
      JSON.stringify({ private_key_id: '1', private_key: `${key}\n`, client_email: 'a@b.c' }),
    ),
  ],
};

export interface Sample {
  readonly kind: string;
  /** What is put into a text. */
  readonly text: string;
  /** What may not be left of it. */
  readonly secret: string;
}

/** A secret and the text it stands in. */
function whole(kind: string, secret: string, around: (secret: string) => string = (s) => s): Sample {
  return { kind, secret, text: around(secret) };
}

/** Tokens that our own rules know by their form. */
export const TOKEN_SAMPLES: readonly Sample[] = [
  whole('AWS access key', glue('AK', 'IA', 'QWERTZUIOPASDF12')),
  whole('AWS access key', glue('AS', 'IA', 'QWERTZUIOPASDF12')),
  ...['sk_live', 'rk_live', 'sk_test'].map((prefix) => whole('Stripe key', glue(prefix, '_', random(24)))),
  whole(
    '1Password token',
    glue('op', 's_', Buffer.from(JSON.stringify({ ...serviceAccount, n: 1 })).toString('base64')),
  ),
  whole('Stripe key', glue('wh', 'sec_', random(32))),
  whole('Google API key', glue('AI', 'za', random(35))),
  whole('Google OAuth token', glue('ya', '29.', random(60))),
  whole('Google OAuth token', glue('GOC', 'SPX-', random(28))),
  ...['glpat', 'gldt', 'glrt', 'glcbt', 'glptt', 'glft', 'glagent', 'gloas', 'glsoat'].map((prefix) =>
    whole('GitLab token', glue(prefix, '-', random(20))),
  ),
  whole('GitLab token', glue('glp', 'at-', random(27), '.01.', '0z1ab2cd3')),
  whole('JWT', jwt({ alg: 'HS256', typ: 'JWT' })),
  whole('JWT', jwt({ typ: 'JWT', alg: 'none' })),
  whole('API key', glue('s', 'k-or-v1-', random(40))),
  whole('private key', pem('ENCRYPTED PRIVATE KEY', '\n')),
  whole('private key', pem('PGP PRIVATE KEY BLOCK', '\n')),
];

/** Every sample there is. */
export const ALL_SAMPLES: readonly Sample[] = [...Object.values(SECRETLINT_SAMPLES).flat(), ...TOKEN_SAMPLES];
