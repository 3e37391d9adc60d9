/**
 * Mental models: what the server keeps written down of a subject, and renews as memories come. Ours are made where the
 * bank has none of that id or name; one that is there is never changed, whoever made it.
 */
import type { BackendView } from '../../backendProtocol.ts';
import type { MentalModel, NewModel } from './server.ts';
import { type Scoping, slugOf } from './settings.ts';

type Shown = BackendView['mentalModels'][number];

/** What the server is asked to write down. Lengths in tokens (seed 000). */
const SEEDS = [
  {
    id: 'user-preferences',
    title: 'User preferences',
    query:
      'What does the user prefer in how work is done, written and told: style, tools, language, and what they do not want?',
    length: 600,
    ofProject: false,
  },
  {
    id: 'project-conventions',
    title: 'Project conventions',
    query:
      'Which conventions hold in this project: structure, naming, style, testing, tools and how changes are made?',
    length: 800,
    ofProject: true,
  },
  {
    id: 'project-decisions',
    title: 'Project decisions',
    query: 'Which decisions were made in this project, why, and which alternatives were rejected?',
    length: 800,
    ofProject: true,
  },
] as const;

/**
 * The models of a scope. In a bank that several projects share, those of a project have its tag, and its name in their
 * ids, so that the next project gets its own.
 */
export function modelSeeds(scoping: Scoping, project: string, tags: readonly string[]): readonly NewModel[] {
  const name = project || 'unknown';
  const isShared = scoping === 'per-project-tagged';
  return SEEDS.filter(({ ofProject }) => !ofProject || scoping !== 'global').map(
    ({ id, title, query, length, ofProject }) => ({
      id: ofProject && isShared ? `${id}-${slugOf(name)}` : id,
      name: ofProject && isShared ? `${title} (${name})` : title,
      source_query: query,
      tags: ofProject ? tags : [],
      max_tokens: length,
    }),
  );
}

/** Those of them that a bank lacks. */
export function missingModels(
  seeds: readonly NewModel[],
  there: readonly Pick<MentalModel, 'id' | 'name'>[],
): readonly NewModel[] {
  return seeds.filter((seed) => !there.some(({ id, name }) => id === seed.id || name === seed.name));
}

/** Models as they are shown, by name. One of ours has the question that we asked. */
export function shownModels(models: readonly MentalModel[]): readonly Shown[] {
  return models
    .map(({ id, name, content, query }) => ({
      ...{ id, name, ours: SEEDS.some((seed) => id.startsWith(seed.id) && seed.query === query) },
      ...(content !== '' && { text: content }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
