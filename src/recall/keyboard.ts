/** The two-set Korean keyboard (KS X 5002): the Latin key of each letter, consonants that begin a syllable first. */
const INITIALS = 'r R s e E f a q Q t T d w W c z x v g'.split(' ');
const MEDIALS = 'k o i O j p u P h hk ho hl y n nj np nl b m ml l'.split(' ');
const FINALS = ' r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g'.split(' ');
/** U+3131 to U+3163, letters that stand alone. */
const ALONE =
  'r R rt s sw sg e E f fr fa fq ft fx fv fg a q Q qt t T d w W c z x v g k o i O j p u P h hk ho hl y n nj np nl b m ml l'.split(
    ' ',
  );

const FIRST_SYLLABLE = 0xac00;
const FIRST_LETTER = 0x3131;

const CONSONANT = '[rRseEfaqQtTdwWczxvg]';
const VOWEL = '(?:hk|ho|hl|nj|np|nl|ml|[koiOjpuPhynbml])';
/** A syllable takes what follows it as its end, unless that begins the next one. */
const SYLLABLE = new RegExp(
  `(${CONSONANT})(${VOWEL})((?:rt|sw|sg|fr|fa|fq|ft|fx|fv|fg|qt|[rRsefaqtTdwczxvg])(?!${VOWEL}))?`,
  'gy',
);
/** Where a pair of consonants would take the next syllable's first one, only the first of them belongs here. */
const SINGLE = new RegExp(`([rRsefaqtTdwczxvg])(?=${CONSONANT}${VOWEL})`, 'y');

/**
 * Hangul that was typed with the Latin layout on, `qovh` for 배포; '' when the letters do not make whole syllables.
 * Shift matters only for doubled consonants and two vowels, so other capitals are read as small letters.
 */
export function hangulFromKeys(keys: string): string {
  const typed = keys.replace(/[^RETQWOP]/g, (key) => key.toLowerCase());
  let text = '';
  let at = 0;
  while (at < typed.length) {
    SYLLABLE.lastIndex = at;
    const match = SYLLABLE.exec(typed);
    if (match === null) return '';
    const [, initial = '', medial = ''] = match;
    const end = at + initial.length + medial.length;
    SINGLE.lastIndex = end;
    const final = match[3] ?? SINGLE.exec(typed)?.[1] ?? '';
    text += String.fromCharCode(
      FIRST_SYLLABLE +
        (INITIALS.indexOf(initial) * MEDIALS.length + MEDIALS.indexOf(medial)) * FINALS.length +
        FINALS.indexOf(final),
    );
    at = end + final.length;
  }
  return text;
}

/** The Latin keys of Hangul text, `ㄱㄷ얀` gives `redis`; other characters stay. */
export function keysFromHangul(text: string): string {
  return [...text].map(keysOf).join('');
}

/** The keys that make one character; a syllable's are also its letters, which is what spelling compares. */
function keysOf(character: string): string {
  const code = character.charCodeAt(0);
  const syllable = code - FIRST_SYLLABLE;
  if (syllable >= 0 && syllable < INITIALS.length * MEDIALS.length * FINALS.length) {
    const rest = Math.floor(syllable / FINALS.length);
    return `${INITIALS[Math.floor(rest / MEDIALS.length)]}${MEDIALS[rest % MEDIALS.length]}${FINALS[syllable % FINALS.length]}`;
  }
  return ALONE[code - FIRST_LETTER] ?? character;
}
