declare module 'wink-porter2-stemmer' {
  /** Stem of one lower-case English word (Porter's second algorithm). */
  function stem(word: string): string;
  export = stem;
}
