// An editor and an extension host in the page itself: `acquireVsCodeApi`, and the panel's tools over generated
// entries. Set up by `window.fakeSetup`; steered by tests through `window.fakeHost`.
(() => {
  const setup = window.fakeSetup;
  const DAY = 86_400_000;
  const CATEGORIES = ['decision', 'pattern', 'bug', 'knowledge', 'warning'];
  const WORDS = [
    'retry-policy',
    'auth-tokens',
    'build-cache',
    'date-parsing',
    'error-codes',
    'api-paging',
    'db-schema',
    'log-format',
    'test-fixtures',
    'release-steps',
  ];
  const TEXTS = [
    'Retries use exponential backoff with jitter, at most five times; the payment provider bans clients that hammer it.',
    'Access tokens live for fifteen minutes. Refresh tokens rotate on each use and a reused one ends the session.',
    'The build cache key must hold the lock file and the Node version, or stale native modules come back.',
    'Dates from the API are UTC without a zone. Parse them with parseUtc, never with new Date(text).',
    'Error codes are stable and documented; messages are not. Tests assert codes only.',
  ];
  const now = Date.now();

  function generate(index) {
    const word = WORDS[index % WORDS.length];
    const agent = index % 3 === 0;
    return {
      id: `e${String(index).padStart(7, '0')}`,
      key: index < WORDS.length ? word : `${word}-${index}`,
      category: CATEGORIES[index % 5],
      updated: now - index * (DAY / 4) - 3_600_000,
      created: now - index * (DAY / 4) - 2 * DAY,
      content: TEXTS[index % 5],
      tags: index % 2 === 0 ? ['api', 'backend'] : ['build'],
      links: [],
      pinned: index === 1,
      confirmed: !agent,
      status: 'active',
      level: index % 11 === 5 ? 'INTERNAL' : 'PUBLIC',
      expires: index % 7 === 3 ? now + 30 * DAY : null,
      file: index % 2 === 0 ? 'src/net/client.ts:42' : '',
      importance: index % 4 === 0 ? 'high' : null,
      quality: 0.4 + (index % 6) / 10,
      confidence: agent ? 0.7 : 1,
      origin: agent ? 'agent' : 'human',
      source: agent ? 'copilot' : 'panel',
      branch: 'main',
      session: agent ? 'agent:main:chat:4f1c' : '',
      pathScope: '',
      supersededBy: '',
      reason: '',
      used: index % 9,
      lastUsed: index % 9 === 0 ? null : now - DAY,
      revisions: [],
    };
  }

  const entries = new Map();
  for (let index = 0; index < (setup.count ?? 12); index++) {
    const entry = generate(index);
    entries.set(entry.id, entry);
  }
  for (const extra of setup.entries ?? []) {
    entries.set(extra.id, {
      ...generate(0),
      pinned: false,
      confirmed: true,
      updated: now,
      file: '',
      tags: [],
      ...extra,
    });
  }

  const byKey = (key) => [...entries.values()].find((entry) => entry.key === key);
  const find = (target) => {
    const entry = entries.get(target) ?? byKey(target);
    if (entry === undefined) throw new Error(`There is no entry “${target}”.`);
    return entry;
  };
  const row = (entry, relevance = null) => ({
    ...pick(entry, [
      'id',
      'key',
      'category',
      'updated',
      'tags',
      'pinned',
      'confirmed',
      'source',
      'status',
      'level',
      'expires',
    ]),
    relevance,
    preview: entry.content.slice(0, 160).replace(/\s+/g, ' '),
  });
  const pick = (entry, names) => Object.fromEntries(names.map((name) => [name, entry[name]]));
  const write = (entry, change) => {
    entries.set(entry.id, { ...entry, ...change, updated: Date.now() });
    window.fakeHost.changed();
    return { id: entry.id };
  };

  const tools = {
    memory_browse({
      query = '',
      category,
      tags = [],
      status,
      level,
      confirmed,
      pinned,
      sort,
      descending = true,
      offset,
      limit,
    }) {
      if (!(limit <= 200)) throw new Error('limit must be at most 200');
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found = [...entries.values()].filter(
        (entry) =>
          words.every((word) => `${entry.key} ${entry.content}`.toLowerCase().includes(word)) &&
          (category === undefined || entry.category === category) &&
          tags.every((tag) => entry.tags.includes(tag)) &&
          (status === undefined || entry.status === status) &&
          (level === undefined || entry.level === level) &&
          (confirmed === undefined || entry.confirmed === confirmed) &&
          (pinned === undefined || entry.pinned === pinned),
      );
      const by = sort ?? 'updated';
      if (by !== 'updated' || found.length < 10_000 || !descending) {
        found.sort((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0) * (descending ? -1 : 1));
      }
      const relevance = (at) => (words.length === 0 ? null : Math.max(0.08, 0.94 - at * 0.07));
      return {
        rows: found.slice(offset, offset + limit).map((entry, at) => row(entry, relevance(offset + at))),
        total: found.length,
        offset,
      };
    },
    memory_open({ id }) {
      if (!entries.has(id)) return null;
      const entry = find(id);
      const references = [...entry.content.matchAll(/\[\[([^[\]]+)\]\]/g)].map((match) => match[1]);
      const linked = [...new Set([...entry.links, ...references])].map((key) => ({
        key,
        id: byKey(key)?.id ?? null,
      }));
      const linkedFrom =
        entries.size > 1_000
          ? []
          : [...entries.values()]
              .filter(
                (other) => other.links.includes(entry.key) || other.content.includes(`[[${entry.key}]]`),
              )
              .map(({ key, id: other }) => ({ key, id: other }));
      const { links, ...rest } = entry;
      return { ...rest, ...row(entry), linked, linkedFrom };
    },
    memory_map({ query = '', category, loners = false, limit = 2000 }) {
      const live = [...entries.values()].filter(({ status }) => status === 'active');
      const ids = new Map(live.map(({ key, id }) => [key, id]));
      const edges = live.flatMap((entry) =>
        [...entry.links, ...[...entry.content.matchAll(/\[\[([^[\]]+)\]\]/g)].map((match) => match[1])]
          .map((key) => ids.get(key))
          .filter((id) => id !== undefined && id !== entry.id)
          .map((to) => [entry.id, to]),
      );
      const beside = new Map(live.map(({ id }) => [id, new Set()]));
      for (const [from, to] of edges) {
        beside.get(from).add(to);
        beside.get(to).add(from);
      }
      const asked = live.filter(
        (entry) =>
          `${entry.key} ${entry.content}`.toLowerCase().includes(query.toLowerCase()) &&
          (category === undefined || entry.category === category),
      );
      const wanted = new Set(asked.flatMap(({ id }) => [id, ...beside.get(id)]));
      const meant = live.filter(({ id }) => wanted.has(id));
      const fitting = meant.filter(({ id }) => loners || query !== '' || beside.get(id).size > 0);
      const nodes = fitting.sort((a, b) => beside.get(b.id).size - beside.get(a.id).size).slice(0, limit);
      const places = new Map(nodes.map(({ id }, at) => [id, at]));
      const links = edges
        .map((ends) => ends.map((id) => places.get(id)))
        .filter((ends) => !ends.includes(undefined));
      return {
        nodes: nodes.map((entry) => pick(entry, ['id', 'key', 'category'])),
        links: links.flat(),
        total: fitting.length,
        loners: meant.filter(({ id }) => beside.get(id).size === 0).length,
        totalLinks: links.length,
      };
    },
    memory_remember({ key, category, content, tags = [], links = [], file = '', importance = null }) {
      const id = `n${entries.size}`;
      entries.set(id, {
        ...generate(1),
        id,
        key,
        category,
        content,
        tags,
        links,
        file,
        importance,
        pinned: false,
        confirmed: true,
        expires: null,
        created: Date.now(),
        updated: Date.now(),
        used: 0,
        lastUsed: null,
      });
      window.fakeHost.changed();
      return { id, redacted: [] };
    },
    memory_edit({ key, content, category, file, set_tags, set_links, importance, confirmed, ...deltas }) {
      const entry = find(key);
      const { add_tags: moreTags = [], add_links: moreLinks = [], drop_links: fewerLinks = [] } = deltas;
      const tags = [...new Set([...(set_tags ?? entry.tags), ...moreTags])];
      const links = [...new Set([...(set_links ?? entry.links), ...moreLinks])].filter(
        (link) => !fewerLinks.includes(link),
      );
      const revisions =
        content === undefined
          ? entry.revisions
          : [
              {
                text: entry.content,
                at: entry.updated,
                actor: 'agent',
                source: entry.source,
                addition: false,
              },
              ...entry.revisions.map((revision) => ({ ...revision, addition: false })),
            ].filter(({ text }) => text !== content);
      const change = {
        content,
        category,
        file,
        tags,
        links,
        confirmed: confirmed ?? (content === undefined ? entry.confirmed : true),
        revisions,
        importance: importance === 'automatic' ? null : importance,
      };
      return write(
        entry,
        Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
      );
    },
    memory_pin: ({ key }) => write(find(key), { pinned: true }),
    memory_unpin: ({ key }) => write(find(key), { pinned: false }),
    memory_tag({ action, tags, ids }) {
      const change = (own) =>
        action === 'add' ? [...new Set([...own, ...tags])] : own.filter((tag) => !tags.includes(tag));
      const { level } = find(ids[0]);
      const changed = ids.map(find).filter((entry) => entry.level === level);
      for (const entry of changed) write(entry, { tags: change(entry.tags) });
      return { changed };
    },
    memory_forget({ key, action = 'soft' }) {
      const entry = find(key);
      if (action === 'hard') {
        entries.delete(entry.id);
        window.fakeHost.changed();
        return {};
      }
      const status = { restore: 'active', supersede: 'superseded', soft: 'forgotten' }[action];
      return write(entry, { status });
    },
    memory_stats: () => ({ entries: entries.size }),
  };

  // Where memories are kept; a test changes it and says so with `changed`.
  const backend = {
    kind: 'local',
    server: null,
    queue: { waiting: 0, refused: 0 },
    banks: [],
    mentalModels: [],
    ...setup.backend,
  };
  tools.backend_status = () => structuredClone(backend);
  tools.backend_retry = () => {
    Object.assign(backend, { queue: { waiting: 0, refused: 0 } });
    if (backend.server !== null) backend.server = { url: backend.server.url, state: 'reachable' };
    return structuredClone(backend);
  };

  const care = window.fakeCare(setup, entries, () => window.fakeHost.changed());
  // Every change of an entry can be taken back, as far as this page goes.
  for (const name of ['memory_edit', 'memory_tag', 'memory_forget']) {
    const run = tools[name];
    tools[name] = (input) => {
      care.remember();
      const answer = run(input);
      care.mended(({ fix }) => fix?.tool === name && fix.input.key === input.key);
      return answer;
    };
  }
  const sessions = window.fakeSessions(setup);
  const subagents = window.fakeSubagents(setup);
  const messages = window.fakeMessages(setup);
  Object.assign(tools, care.tools, sessions.tools, subagents.tools, messages.tools);

  const send = (data) => window.postMessage(data, '*');
  const violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    violations.push({ directive: event.effectiveDirective, blocked: event.blockedURI, sample: event.sample });
  });

  window.fakeHost = {
    sessions: sessions.truth,
    subagents: subagents.truth,
    messages: messages.truth,
    entries,
    backend,
    violations,
    /** Every message the panel sent. */
    posted: [],
    /** Milliseconds before each answer; a function of the call, or a number. */
    delay: setup.delay ?? 0,
    /** Tool name → error text; stays until deleted. */
    failing: { ...(setup.failing ?? {}) },
    /** Whether a write tells the panel, as the real host does. */
    changed: () => send({ type: 'changed' }),
    write: (id, change) => write(find(id), change),
    notices: (notices, seal = null) => send({ type: 'notices', notices, seal }),
    show: (show) => send({ type: 'show', show }),
    calls: (tool) =>
      window.fakeHost.posted.filter((message) => message.type === 'invoke' && message.tool === tool),
  };

  window.acquireVsCodeApi = () => ({
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
    postMessage(message) {
      // The real channel clones; what cannot be cloned must fail here too.
      const received = structuredClone(message);
      window.fakeHost.posted.push(received);
      if (received.type === 'ready') {
        send({
          type: 'init',
          strings: setup.strings ?? {},
          locale: setup.locale ?? 'en',
          trusted: setup.trusted ?? true,
          folder: setup.folder === undefined ? 'demo' : setup.folder,
          place: setup.place ?? 'sidebar',
          notices: setup.notices ?? [],
          seal: setup.seal ?? null,
          show: setup.show ?? null,
        });
      }
      if (received.type === 'invoke') answer(received);
    },
  });

  async function answer({ seq, tool, input }) {
    const { delay, failing } = window.fakeHost;
    const wait = typeof delay === 'function' ? delay({ tool, input }) : delay;
    if (wait === Number.POSITIVE_INFINITY) return;
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    const began = Date.now() - 1;
    try {
      if (failing[tool] !== undefined) throw new Error(failing[tool]);
      const { text = 'done' } = subagents.truth.answers[tool] ?? {};
      send({ type: 'result', seq, ok: true, text, data: tools[tool](input), began, ended: Date.now() });
    } catch (error) {
      send({ type: 'result', seq, ok: false, error: error.message });
    }
  }
})();
