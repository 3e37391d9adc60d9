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
    warning: null,
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
    left: [...(setup.subagents?.left ?? [])],
    leftFiles: { ...setup.subagents?.leftFiles },
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
    tasks: tasks.map(({ error, warning, landing, ...each }) => ({
      ...each,
      error: error === null ? null : phrase(error),
      warning: warning === null ? null : phrase(warning),
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
  /** Parts of a task's work, as the host counts them: all of a file once each of its hunks is there. */
  const applyPart = ({ path, hunk, ...input }) => {
    if (path === undefined) return undefined;
    const size = truth.diffs[path]?.hunks?.length ?? 0;
    write('subagents_apply', ({ landing }) => {
      const hunks = hunk === undefined ? null : [hunk];
      const parts = [...(landing.parts ?? []), { path, hunks, canRevert: true }];
      const own = parts.filter((part) => part.path === path);
      const isAll = hunk === undefined || new Set(own.flatMap((part) => part.hunks ?? [])).size === size;
      return {
        landing: { ...landing, parts, landed: [...(landing.landed ?? []), ...(isAll ? [path] : [])] },
      };
    })(input);
    return { phrase: phrase('Applied.'), undo: 'subagents_revert' };
  };
  const revertPart = ({ path, hunk, ...input }) => {
    if (path === undefined) return undefined;
    write('subagents_revert', ({ landing }) => ({
      landing: {
        ...landing,
        parts: landing.parts.filter(
          (part) => part.path !== path || (hunk !== undefined && !part.hunks?.includes(hunk)),
        ),
        landed: landing.landed.filter((each) => each !== path),
      },
    }))(input);
    return { phrase: phrase('Taken out of your files again.'), undo: 'subagents_apply' };
  };
  const takeLeft = ({ kind, id }) => {
    const found = truth.left.find((one) => one.kind === kind && one.id === id);
    if (found === undefined) throw new Error('It is not there any more.');
    truth.left = truth.left.filter((one) => one !== found);
    return { phrase: phrase('Done with it.'), restore: JSON.stringify(found) };
  };
  const land = (state) => (each) => ({ landing: { ...each.landing, state } });
  const isOpen = ({ status }) => status === 'pending' || status === 'running';

  const tools = {
    subagents_show: () => structuredClone({ batches: truth.batches.map(shown) }),
    subagents_diff({ path }) {
      const diff = truth.diffs[path];
      if (diff === undefined) throw new Error(`“${path}” is not a file of this task.`);
      return structuredClone({ path, binary: false, truncated: false, hunks: [], ...diff });
    },
    subagents_apply: (input) => applyPart(input) ?? write('subagents_apply', land('applied'))(input),
    subagents_discard: write('subagents_discard', land('discarded')),
    subagents_revert: (input) => revertPart(input) ?? write('subagents_revert', land('reverted'))(input),
    subagents_cancel: write('subagents_cancel', (each) =>
      isOpen(each) ? { status: 'cancelled', ended: Date.now() } : {},
    ),
    subagents_retry: write('subagents_retry', (each) =>
      each.status === 'completed' ? {} : { status: 'running', ended: null, error: null },
    ),
    subagents_left: () => structuredClone(truth.left),
    subagents_left_files: ({ id }) => structuredClone({ files: truth.leftFiles[id] ?? [] }),
    subagents_left_apply: (input) => takeLeft(input),
    subagents_left_discard: (input) => takeLeft(input),
    subagents_left_restore({ undo }) {
      truth.left.push(JSON.parse(undo));
      return null;
    },
  };
  return { tools, truth };
};
