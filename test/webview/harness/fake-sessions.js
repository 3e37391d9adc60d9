// The tools of the session panels, over plans and checkpoints in the page. Loaded before fake-host.js.
window.fakeSessions = (setup) => {
  const now = Date.now();
  const session = {
    id: 's1',
    title: 'Payment retries',
    source: 'copilot',
    live: true,
    lastActive: now - 60_000,
  };
  const rows = setup.todo?.sessions ?? setup.checkpoint?.sessions ?? [session];
  const current = (given) => (given?.session === undefined ? (rows[0] ?? null) : given.session);
  const task = (each) => ({ status: 'pending', notes: [], ...each });
  const phases = (given) => (given ?? []).map((phase) => ({ ...phase, tasks: phase.tasks.map(task) }));
  const truth = {
    todo: {
      sessions: rows,
      plans: Object.fromEntries(rows.map(({ id }, at) => [id, at === 0 ? phases(setup.todo?.phases) : []])),
    },
    checkpoint: {
      ...{ enabled: true, active: null, history: [], context: null, folds: [], unknowns: [], looser: [] },
      ...{ managed: false, ...setup.checkpoint },
    },
    /** Session id → why it cannot be shown. */
    unreadable: { ...setup.unreadable },
  };

  const changed = () => window.fakeHost.changed();
  const find = (plan, content) => {
    for (const phase of plan) {
      const index = phase.tasks.findIndex((each) => each.content === content);
      if (index >= 0) return { phase, index, task: phase.tasks[index] };
    }
    return undefined;
  };

  function step(plan, op, errors) {
    const found = op.task === undefined ? undefined : find(plan, op.task);
    if (op.task !== undefined && found === undefined) return errors.push(`Task "${op.task}" not found`);
    const phase = plan.find(({ name }) => name === op.phase);
    if (/^(?:rename|remove)_phase$/.test(op.op) && phase === undefined)
      return errors.push(`Phase "${op.phase}" not found`);
    const targets = found === undefined ? (phase?.tasks ?? []) : [found.task];
    const set = (status) => {
      for (const each of targets) each.status = status;
    };
    switch (op.op) {
      case 'start':
        for (const each of plan.flatMap(({ tasks }) => tasks))
          if (each.status === 'in_progress') each.status = 'pending';
        return set('in_progress');
      case 'done':
        return set('completed');
      case 'drop':
        return set('abandoned');
      case 'reopen':
        return set('pending');
      case 'rm':
        for (const each of plan) each.tasks = each.tasks.filter((other) => !targets.includes(other));
        return undefined;
      case 'append': {
        const into = phase ?? { name: op.phase, tasks: [] };
        for (const content of op.items) {
          if (find(plan, content) !== undefined) errors.push(`Task "${content}" already exists`);
          else into.tasks.push(task({ content }));
        }
        if (phase === undefined && into.tasks.length > 0) plan.push(into);
        return undefined;
      }
      case 'note':
        return found.task.notes.push(op.text);
      case 'rename':
        if (find(plan, op.to) !== undefined) return errors.push(`Task "${op.to}" already exists`);
        found.task.content = op.to;
        return undefined;
      case 'rename_phase':
        if (plan.some(({ name }) => name === op.to)) return errors.push(`Phase "${op.to}" already exists`);
        phase.name = op.to;
        return undefined;
      case 'add_phase':
        return plan.splice(op.index, 0, { name: op.phase, tasks: [] });
      case 'remove_phase':
        return plan.splice(plan.indexOf(phase), 1);
      case 'move':
        found.phase.tasks.splice(found.index, 1);
        return phase.tasks.splice(op.index, 0, found.task);
      default:
        throw new Error(`unknown op ${op.op}`);
    }
  }

  function normalize(plan) {
    const tasks = plan.flatMap((phase) => phase.tasks);
    const active =
      tasks.find(({ status }) => status === 'in_progress') ??
      tasks.find(({ status }) => status === 'pending');
    for (const each of tasks) if (each.status === 'in_progress') each.status = 'pending';
    if (active !== undefined) active.status = 'in_progress';
  }

  const tools = {
    todo_show({ session: id }) {
      const shown =
        id === undefined ? current(setup.todo) : (truth.todo.sessions.find((row) => row.id === id) ?? null);
      const unreadable = truth.unreadable[shown?.id];
      return structuredClone({
        session: shown,
        sessions: truth.todo.sessions,
        phases: shown === null || unreadable !== undefined ? [] : truth.todo.plans[shown.id],
        unreadable,
      });
    },
    todo_edit({ session: id, steps }) {
      const plan = truth.todo.plans[id];
      if (plan === undefined) throw new Error('There is no such session.');
      const errors = [];
      for (const each of steps) step(plan, each, errors);
      normalize(plan);
      changed();
      return structuredClone({ phases: plan, errors });
    },
    checkpoint_show({ session: id }) {
      const shown =
        id === undefined ? current(setup.checkpoint) : (rows.find((row) => row.id === id) ?? null);
      const unreadable = truth.unreadable[shown?.id];
      const nothing = { active: null, history: [], context: null, folds: [], unknowns: [], looser: [] };
      const none = unreadable === undefined ? {} : nothing;
      return structuredClone({ ...truth.checkpoint, ...none, session: shown, sessions: rows, unreadable });
    },
    checkpoint_rewind({ report }) {
      truth.checkpoint.report = report;
      truth.checkpoint.active = { ...truth.checkpoint.active, pending: true };
      changed();
      return {};
    },
    checkpoint_cancel() {
      const { active, history } = truth.checkpoint;
      const ended = { ...active, endedAt: Date.now(), report: null };
      truth.checkpoint = { ...truth.checkpoint, active: null, history: [ended, ...history] };
      changed();
      return {};
    },
    fold_show({ block }) {
      const fold = truth.checkpoint.folds.find((each) => each.block === block);
      if (fold === undefined) throw new Error('There is no such folded part in this session any more.');
      return { block, text: fold.original ?? `# ${fold.topic}\n\nThe original of ${block}.` };
    },
    fold_reopen({ block }) {
      for (const fold of truth.checkpoint.folds) if (fold.block === block) fold.active = false;
      changed();
      return {};
    },
    session_acknowledge({ calls = [], settings = [] }) {
      const { unknowns, looser } = truth.checkpoint;
      const answered = new Set(calls.map(({ id }) => id));
      truth.checkpoint.unknowns = unknowns.filter(({ id }) => !answered.has(id));
      truth.checkpoint.looser = looser.filter(({ key }) => !settings.includes(key));
      changed();
      return {};
    },
    checkpoint_enable() {
      truth.checkpoint.enabled = true;
      changed();
      return {};
    },
  };
  return { tools, truth };
};
