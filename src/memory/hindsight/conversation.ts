/** Conversations as a server is told of them. */

/** One thing that was said. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A conversation of fewer characters says nothing (seed 000). */
const SHORTEST = 10;
/** What was put before prompts is in memory already, and nobody said it. */
const INJECTED = /<(memories|mental_models)\b[^>]*>[\s\S]*?<\/\1>/g;
const PRIOR = 'Prior context:';

/**
 * A conversation as one text: `[role: user]`, what was said, `[user:end]`, without memories that were put into it.
 * Empty where nothing is left, or too little.
 */
export function retainedConversation(said: readonly Said[]): string {
  const parts = said.flatMap(({ role, content }) => {
    const text = content.replace(INJECTED, '').trim();
    return text === '' ? [] : [`[role: ${role}]\n${text}\n[${role}:end]`];
  });
  const text = parts.join('\n\n');
  return text.length < SHORTEST ? '' : text;
}

/**
 * What is looked for before a prompt: what was said last, and the prompt.
 * @param most characters; the oldest lines of what was said before go first, and the prompt itself is cut last
 */
export function recallQuery(prior: readonly Said[], prompt: string, most: number): string {
  const lines = prior.map(({ role, content }) => `${role}: ${content.replace(/\s+/g, ' ').trim()}`);
  for (let from = 0; from < lines.length; from++) {
    const query = [PRIOR, lines.slice(from).join('\n'), prompt].join('\n\n');
    if (query.length <= most) return query;
  }
  return prompt.slice(0, most).toWellFormed();
}
