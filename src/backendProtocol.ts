/** What is shown of where memory is kept for `recall`, `retain` and `reflect`. Times are epoch milliseconds. */
import { z } from 'zod';

const phraseSchema = z.object({
  text: z.string(),
  values: z.array(z.union([z.string(), z.number()])).readonly(),
});

const count = z.number().int().min(0);

export const backendViewSchema = z.object({
  kind: z.enum(['local', 'hindsight', 'off']),
  /** Null where there is no server. `refusing`: it answers, and does not do what it is asked. */
  server: z
    .object({
      url: z.string(),
      state: z.enum(['unknown', 'reachable', 'unreachable', 'refusing']),
      error: phraseSchema.optional(),
    })
    .readonly()
    .nullable(),
  /** What waits to be sent. `refused`: those of them that the server did not take, or that may not leave. */
  queue: z
    .object({
      waiting: count,
      refused: count,
      oldest: z.number().optional(),
      nextTry: z.number().optional(),
      error: phraseSchema.optional(),
    })
    .readonly(),
  banks: z
    .array(
      z.object({
        id: z.string(),
        scope: z.enum(['global', 'project', 'tagged']),
        tag: z.string().optional(),
      }),
    )
    .readonly(),
  /** `ours`: made here; the person's own are only shown. */
  mentalModels: z
    .array(z.object({ id: z.string(), name: z.string(), ours: z.boolean(), text: z.string().optional() }))
    .readonly(),
});

/** The same as the `Phrase` of every other message. */
export type Phrase = Readonly<z.output<typeof phraseSchema>>;

export type BackendView = z.output<typeof backendViewSchema>;
