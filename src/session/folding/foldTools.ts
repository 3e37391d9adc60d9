/** The two tools with which a model folds its conversation and looks at what it folded. */
import type { ToolSpec } from '../chatModel.ts';
import { repairedInput } from './parse.ts';
import { COMPRESS } from './rebuild.ts';

export const FOLD_READ = 'FoldRead';

const RANGE = {
  type: 'object',
  properties: {
    topic: { type: 'string', description: 'What this part was about, in a few words.' },
    startId: { type: 'string', description: 'Id of its first message, such as m00004; or b1, of a section.' },
    endId: { type: 'string', description: 'Id of its last message, such as m00020; or b5, of a section.' },
    summary: {
      type: 'string',
      description:
        'What stands in its place, 50 to 20,000 characters: goals, decisions, paths, names, figures, results, what failed, what is open.',
    },
  },
  required: ['startId', 'endId', 'summary'],
};

export const COMPRESS_SPEC: ToolSpec = {
  name: COMPRESS,
  description:
    'Fold parts of this conversation that you no longer need word for word: your summary takes their place in what you are shown. Nothing is lost, FoldRead gives the original back. Ids stand in <noa-ref id="…"/> tags behind messages and results; never write such tags yourself. Fold long finished parts, at least 5,000 characters in one call, and never what you are working on: the end of the conversation stays. A range of folded sections (b1 to b5) becomes one section.',
  inputSchema: {
    type: 'object',
    properties: { content: { type: 'array', items: RANGE, description: 'One item for each part.' } },
    required: ['content'],
  },
  repair: repairedInput,
};

export const FOLD_READ_SPEC: ToolSpec = {
  name: FOLD_READ,
  description: 'Read the original of a folded section, when its summary is not enough.',
  inputSchema: {
    type: 'object',
    properties: {
      block: { type: 'string', description: 'Such as b3, from the noa-archive tag of the section.' },
      offset: {
        type: 'integer',
        description: 'Where to go on, as the part before said. Without it from the start.',
      },
    },
    required: ['block'],
  },
};
