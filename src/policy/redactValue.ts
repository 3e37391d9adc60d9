/*
 * What makes the right-hand side of `password=` or `token:` a secret. A memory is prose and code about
 * software, so most such values are not: types, calls, variables, paths, requirements. A wrong redaction
 * destroys what the person wanted to keep; the rules therefore ask for a sign of a literal credential.
 */

/** How the value was written. */
export interface Assignment {
  /** `password` words: the value may be a plain one. Otherwise (`token`, `key`) it must look generated. */
  readonly strong: boolean;
  /** The value stood in quotes. */
  readonly quoted: boolean;
  /** `key=value` without blanks: configuration, query strings, connection strings. */
  readonly tight: boolean;
  /** `name: value`: configuration or prose, where a number is no constant of a program. */
  readonly colon: boolean;
  /** `KEY=value` in capitals: an environment file, where the value is never a variable's name. */
  readonly env: boolean;
}

const PLACEHOLDER_WORDS = new Set(
  (
    'password passwd pass pwd passphrase secret token key apikey user username mypassword mysecret mytoken ' +
    'yourpassword yoursecret yourtoken example test todo tbd changeme change-me none null nil undefined true ' +
    'false string str number boolean bool int any unknown void object bytes buffer value hidden masked ' +
    'redacted removed secret123 required optional missing empty default disabled enabled auto'
  ).split(' '),
);

/** Whether a value only stands for a secret: a mask, `<your-password>`, `${TOKEN}`, `process.env.X`. */
export function isPlaceholder(value: string): boolean {
  return (
    PLACEHOLDER_WORDS.has(value.toLowerCase()) ||
    isMask(value) ||
    /\.\.\.|…|\*\*\*|^\[redacted|\uffff/i.test(value) ||
    /\$\{|\{\{|<%|^<.*>$|^\{.*\}$|^%\w+%$|^\$[A-Za-z_(]|^\[[^\]]*\]$/.test(value) ||
    /^(?:process\.env|import\.meta|os\.(?:environ|getenv)|env[.[]|secrets?\.|vault:|op:|arn:)/i.test(value) ||
    /^(?:your|my|the|insert|replace|enter|change)[-_ ]/i.test(value)
  );
}

/** Whether a text is one character over and over, as in `****` and `xxxx`. */
export function isMask(value: string): boolean {
  return value.length > 0 && (/^[*•●.·_#-]+$/.test(value) || /^(.)\1{2,}$/s.test(value));
}

const TECHNICAL =
  /^(?:[a-z]{0,4}base\d+\w*|(?:hmac-?)?sha-?\d+\w*|md[45]|[ehrp]s(?:256|384|512)|a\d+gcm\w*|aes-?\d+\w*|rsa-?\d*|ed25519|x25519|argon2\w*|oauth2?\w*|oidc\d*|utf-?\d+\w*|http\d|ipv[46]|k8s|s3|es\d+|x509\w*|pkcs\d+|web3|1password\w*|lastpass|rfc-?\d+|v?\d+(?:\.\d+)+[\w.+-]*|[a-z]{2,10}-\d{1,6}|#\d+)(?:[-_][a-z]+)*$/i;

/** Whether a value names an algorithm, a version, a ticket or a product. */
export function isTechnicalTerm(value: string): boolean {
  return value.length <= 64 && TECHNICAL.test(value);
}

/** Whether some part of a value changes between cases and digits as words and identifiers do not. */
export function looksRandom(value: string): boolean {
  if (!/[A-Za-z0-9]{8}/.test(value)) return false;
  return value
    .slice(0, 512)
    .split(/[^A-Za-z0-9]+/)
    .some((part) => {
      if (part.length < 8) return false;
      if (/^(?:[a-z]{24,}|[A-Z]{24,})$/.test(part)) return true;
      // Identifiers change case at each word and end in a digit; generated values do so anywhere.
      const atDigits = part.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
      const changes = atDigits + (part.match(/[a-z](?=[A-Z])/g)?.length ?? 0);
      return changes >= 3 && changes >= part.length / (atDigits >= 2 ? 8 : 3.5);
    });
}

const STOP_WORDS = new Set(
  'a an the is are was be to of in at on for from by with and or not no your my our their this that it see must should can use enter new old current confirm forgot please show hide reset change sign log'.split(
    ' ',
  ),
);

const ABOUT_SECRETS =
  /pass|pwd|secret|token|cred|auth|key|hash|user|config|env|input|value|field|param|vault|salt/i;

/** Whether the value of an assignment is a secret. */
export function isSecretValue(value: string, how: Assignment): boolean {
  if (isPlaceholder(value)) return false;
  if (/\s/.test(value)) return how.quoted && how.strong && isWordPassphrase(value);
  if (isReference(value, how) || isTechnicalTerm(value)) return false;
  return how.strong ? isPlainPassword(value, how) : isGenerated(value, how);
}

/** Four words or more that make no sentence: `correct horse battery staple`. */
function isWordPassphrase(value: string): boolean {
  const words = value.toLowerCase().split(/\s+/);
  return (
    words.length >= 4 &&
    words.every((word) => /^[a-z]{2,}$/.test(word) && !STOP_WORDS.has(word) && !ABOUT_SECRETS.test(word))
  );
}

const FILE =
  /^[\w./@-]+\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml|mdx?|py|rb|go|rs|java|kts?|php|cs|cpp|html?|css|vue|sh|sql|txt|env|ini|conf|pem|key|crt)(?::\d+)*$/;

/** Calls, members, variables, paths, URLs, addresses. */
function isReference(value: string, { quoted, tight }: Assignment): boolean {
  if (/^[a-z][\w+.-]*:\/\//i.test(value)) return true;
  if (/^(?:[A-Za-z]:\\|~|\.{1,2}\/|\/)/.test(value) && !looksRandom(value)) return true;
  if (FILE.test(value)) return true;
  if (/^[\w.+-]+@[\w-]+\.[a-z]{2,}(?:\.[a-z]{2,})?$/i.test(value) && !tight && !quoted) return true;
  if (quoted) return false;
  if (/^[A-Za-z_$][\w$.?]*[([]/.test(value)) return true;
  if (/^[[({]|^0x[0-9a-f]{1,8}$/i.test(value)) return true;
  if (/^(?:new|await|typeof|function|async|=>)$/.test(value)) return true;
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value) && !looksRandom(value);
}

/** For `password`: anything a person might have chosen, but no word of prose and no variable. */
function isPlainPassword(value: string, { quoted, tight, colon, env }: Assignment): boolean {
  if (/^[0-9]+$/.test(value)) return value.length >= (quoted || tight ? 4 : colon ? 6 : Infinity);
  if (value.length < 4) return false;
  const isIdentifier = /^[A-Za-z_$][\w$]*$/.test(value);
  if (isIdentifier && ABOUT_SECRETS.test(value) && !/\d.*\d/.test(value)) return false;
  if (/^[A-Za-z_$]+$/.test(value)) {
    // Without digits and signs: a literal in quotes, or where configuration is written.
    if (quoted) return value.length >= 6 && !/_/.test(value);
    return tight && value.length >= (env ? 5 : 8) && (env || /^[a-z]+$/.test(value));
  }
  if (/^[A-Za-z]+(?:-[A-Za-z]+)+$/.test(value)) return !isCompoundAdjective(value);
  return /[A-Za-z]/.test(value);
}

function isCompoundAdjective(value: string): boolean {
  return (
    ABOUT_SECRETS.test(value) ||
    /(?:ed|ing|only|based|free|less|sensitive|safe|like|able|ible|wide|side|time|level|length|policy|page|form)$/i.test(
      value,
    ) ||
    /^(?:read|write|non|pre|post|re|un|self|multi|per|auto|plain|built|opt)-/i.test(value)
  );
}

/** For `token`, `secret`, `api_key`: letters and digits mixed, or as random as generated values are. */
function isGenerated(value: string, { quoted, tight, env }: Assignment): boolean {
  if (looksRandom(value)) return true;
  if (env && tight && value.length >= 12 && /[A-Za-z]/.test(value)) return !/^[\d.]+$/.test(value);
  if (!quoted && !tight) return false;
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  // `page-2`, `service-account-v1`: names with a number at the end of a part.
  const isName = /^[A-Za-z]+\d?(?:[-_.:/][A-Za-z]*\d{0,2})+$/.test(value);
  return mixed && value.length >= 6 && !isName && !(ABOUT_SECRETS.test(value) && !/\d.*\d/.test(value));
}
