// The tools of the sessions panel, over sessions in the page. Loaded before fake-host.js.
window.fakeMessages = (setup) => {
  const now = Date.now();
  const PAGE = 30;
  const given = setup.messages ?? {};
  const session = (one) => ({
    id: `id-${one.key}`,
    kind: 'chat',
    title: '',
    label: '',
    source: 'lodeline',
    agentId: 'main',
    parent: null,
    state: 'idle',
    aborted: false,
    updated: now - 60_000,
    model: null,
    tokens: null,
    window: null,
    level: 'PUBLIC',
    archived: false,
    sendPolicy: null,
    maySend: true,
    answers: true,
    canResume: true,
    run: null,
    ...one,
  });
  const message = (one) => ({ at: now - 60_000, role: 'assistant', text: '', calls: [], from: null, ...one });
  const truth = {
    sessions: (given.sessions ?? []).map(session),
    histories: Object.fromEntries(
      Object.entries(given.histories ?? {}).map(([key, messages]) => [key, messages.map(message)]),
    ),
    timeline: [...(given.timeline ?? [])],
    conflicts: [...(given.conflicts ?? [])],
    hits: [...(given.hits ?? [])],
    agents: given.agents ?? ['main'],
    /** Tool name → what it answers in place of what it would. */
    answers: {},
    unreadable: {},
  };
  const find = (key) => {
    const found = truth.sessions.find((one) => one.key === key);
    if (found === undefined) throw new Error('There is no such session.');
    return found;
  };
  const tools = {
    sessions_show: () => {
      const { sessions, timeline, conflicts, agents } = truth;
      return structuredClone({ sessions, timeline, conflicts, agents });
    },
    sessions_read({ session: key, before, reach, limit = PAGE }) {
      const unreadable = truth.unreadable[key];
      const all = truth.histories[key] ?? [];
      const end = before ?? all.length;
      const at = reach === undefined ? end : all.findIndex(({ uuid }) => uuid === reach);
      const start = Math.max(0, Math.min(end - limit, at));
      const messages = unreadable === undefined ? all.slice(start, end) : [];
      const older = start > 0 ? start : null;
      return structuredClone({ key, messages, older, truncated: false, unreadable });
    },
    sessions_change({ session: key, ...change }) {
      Object.assign(find(key), change);
      if (change.sendPolicy !== undefined) find(key).maySend = change.sendPolicy !== 'deny';
      window.fakeHost.changed();
      return {};
    },
    sessions_stop({ session: key }) {
      Object.assign(find(key), { state: 'ended', aborted: true, run: null });
      window.fakeHost.changed();
      return {};
    },
    sessions_send({ sessionKey: key, message: text, id }) {
      const answer = truth.answers.sessions_send;
      if (answer !== undefined) return structuredClone(answer);
      const { title } = find(key);
      truth.timeline.unshift({
        ...{ id, at: Date.now(), event: 'sent', from: null },
        ...{ to: { key, name: title }, text },
      });
      window.fakeHost.changed();
      return { runId: id, status: 'accepted' };
    },
    sessions_spawn({ task, label = '' }) {
      const answer = truth.answers.sessions_spawn;
      if (answer !== undefined) return structuredClone(answer);
      const key = `agent:main:subagent:${truth.sessions.length}`;
      truth.sessions.unshift(
        session({ key, kind: 'spawned', title: task, label, state: 'running', run: 'r1' }),
      );
      window.fakeHost.changed();
      return { status: 'accepted', runId: 'r1', childSessionKey: key };
    },
    transcripts_search({ query }) {
      const hits = truth.hits.filter(({ excerpt }) => excerpt.toLowerCase().includes(query.toLowerCase()));
      return structuredClone({ hits });
    },
  };
  return { tools, truth };
};
