/** Notes as agents write them, made up: the same ones every time, with words as unevenly spread as in any text. */

export interface Note {
  readonly key: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

const VOCABULARY = 30_000;
const WORDS_PER_NOTE = 25;
const TAGS = 200;
/** One note in so many names an earlier one. */
const LINK_EVERY = 5;
const SYLLABLES =
  'ba ce di fo gu ha ke li mo nu pa re si to va we xi zo tra ple con ser fig net dock hash lock port mer ind qu'.split(
    ' ',
  );

/** Numbers in [0, 1), the same for the same seed (Lehmer's generator with Park and Miller's constants). */
export function randomFrom(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** The nth most common word. */
function word(place: number): string {
  let text = '';
  for (let rest = place + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length];
  return text;
}

/** A place with Zipf's odds. */
function draw(random: () => number): number {
  return Math.floor(VOCABULARY ** random()) - 1;
}

/** `count` notes. */
export function makeNotes(count: number): Note[] {
  const random = randomFrom(1);
  const key = (at: number) => `${word(draw(random) + 50)}-${at}`;
  const keys = Array.from({ length: count }, (_, at) => key(at));
  return keys.map((name, at) => ({
    key: name,
    content: `The ${Array.from({ length: WORDS_PER_NOTE }, () => word(draw(random))).join(' ')} for that.`,
    tags: [word(Math.floor(random() * TAGS) + 100), word(Math.floor(random() * TAGS) + 100)],
    links: at > 0 && at % LINK_EVERY === 0 ? [keys[Math.floor(random() * at)] as string] : [],
  }));
}

/** Questions of three to six words, of which notes have some. */
export function makeQuestions(notes: readonly Note[], count: number): string[] {
  const random = randomFrom(2);
  return Array.from({ length: count }, () => {
    const note = notes[Math.floor(random() * notes.length)];
    const words = note?.content.split(' ').slice(1, -2) ?? [];
    const asked = Array.from(
      { length: 3 + Math.floor(random() * 4) },
      () => words[Math.floor(random() * words.length)],
    );
    return `what is the ${asked.join(' ')}`;
  });
}
