// The tools of the subagents panel, over batches in the page. Loaded before fake-host.js.
window.fakeSubagents = (setup) => {
  const now = Date.now();
  const NO_PROGRESS = { recent: [], lines: [], tools: 0, tokens: 0 };
  const task = (given, index) => ({
    id: `${index}-Task`,
    name: `Task${index}`,
    description: '',
    assignment: 'Do it.',
    status: 'completed',
    started: now - 60_000,
    ended: /^(pending|running)$/.test(given.status) ? null : now,
    error: null,
    preview: '',
    findings: [],
    files: [],
    landing: null,
    worktree: false,
    ...given,
    progress: { ...NO_PROGRESS, ...given.progress },
  });
  const batch = (given) => ({
    id: 'b1',
    session: null,
    agent: 'task',
    isolated: true,
    background: false,
    started: now - 60_000,
    ended: null,
    live: true,
    ...given,
    tasks: (given.tasks ?? []).map(task),
  });
  const truth = {
    batches: (setup.subagents?.batches ?? []).map(batch),
    diffs: { ...setup.subagents?.diffs },
    /** Tool name → what it answers in place of what it would. */
    answers: {},
    add: (given) => truth.batches.unshift(batch(given)),
  };

  /** Changes tasks as the host does, and answers. */
  const write = (tool, change) => (input) => {
    const found = truth.batches.find(({ id }) => id === input.batch);
    if (found === undefined) throw new Error('There is no such batch.');
    found.tasks = found.tasks.map((each) =>
      input.task === undefined || each.id === input.task ? { ...each, ...change(each) } : each,
    );
    window.fakeHost.changed();
    return truth.answers[tool]?.data ?? null;
  };
  /** As the host tells it: with totals, and with our own sentences as phrases. */
  const shown = ({ tasks, ...rest }) => ({
    ...rest,
    tasks: tasks.map(({ error, landing, ...each }) => ({
      ...each,
      error: error === null ? null : phrase(error),
      landing: landing?.reason === undefined ? landing : { ...landing, reason: phrase(landing.reason) },
      changed: {
        files: each.files.length,
        added: sum(each.files, 'added'),
        removed: sum(each.files, 'removed'),
      },
    })),
  });
  const phrase = (text) => ({ text, values: [] });
  const sum = (files, name) => files.reduce((total, file) => total + file[name], 0);
  const land = (state) => (each) => ({ landing: { ...each.landing, state } });
  const isOpen = ({ status }) => status === 'pending' || status === 'running';

  const tools = {
    subagents_show: () => structuredClone({ batches: truth.batches.map(shown) }),
    subagents_diff({ path }) {
      const diff = truth.diffs[path];
      if (diff === undefined) throw new Error(`“${path}” is not a file of this task.`);
      return structuredClone({ path, binary: false, truncated: false, hunks: [], ...diff });
    },
    subagents_apply: write('subagents_apply', land('applied')),
    subagents_discard: write('subagents_discard', land('discarded')),
    subagents_revert: write('subagents_revert', land('reverted')),
    subagents_cancel: write('subagents_cancel', (each) =>
      isOpen(each) ? { status: 'cancelled', ended: Date.now() } : {},
    ),
    subagents_retry: write('subagents_retry', (each) =>
      each.status === 'completed' ? {} : { status: 'running', ended: null, error: null },
    ),
  };
  return { tools, truth };
};
