// The tools behind the memory browser's other views, over the fake host's entries: health with its fixes, drafts,
// conflicts, archiving, and taking back.
window.fakeCare = (setup, entries, changed) => {
  const DAY = 86_400_000;
  const past = [];
  const care = {
    score: setup.care?.score,
    findings: (setup.care?.findings ?? []).map((finding, at) => ({
      at,
      detail: '',
      entry: null,
      fix: null,
      ...finding,
    })),
    drafts: (setup.care?.drafts ?? []).map((draft) => ({
      ...{
        id: null,
        category: 'knowledge',
        file: '',
        level: 'PUBLIC',
        confidence: 0.7,
        source: 'copilot@main',
      },
      ...{ session: '', tool: 'edit_file', at: Date.now() - 3_600_000, name: draft.key },
      ...draft,
    })),
  };
  const nameOf = ({ id, key, category, level }) => ({ id, key, category, level });
  const sideOf = (entry, text = entry.content, revision = entry) => ({
    ...nameOf(entry),
    text,
    at: revision.at ?? entry.updated,
    source: revision.source,
    tags: entry.tags,
    links: entry.links,
  });
  const active = () => [...entries.values()].filter(({ status }) => status === 'active');
  /** What there was before a change, so that it can be taken back. */
  const remember = () =>
    past.push({ at: Date.now(), entries: structuredClone([...entries]), care: structuredClone(care) });
  const mended = (test) => {
    care.findings = care.findings.filter((finding) => !test(finding));
  };

  const tools = {
    context_health: () => ({
      score: care.findings.length === 0 ? 100 : (care.score ?? 100 - 8 * care.findings.length),
      active: active().length,
      findings: care.findings,
    }),
    memory_conflicts({ kind }) {
      const texts = active()
        .filter(({ revisions }) => revisions.some(({ addition }) => addition))
        .map((entry) => ({
          kind,
          sides: [
            sideOf(entry),
            ...entry.revisions
              .filter(({ addition }) => addition)
              .map((each) => sideOf(entry, each.text, each)),
          ],
        }));
      const pairs = (setup.care?.[kind] ?? [])
        .map((ids) => ids.map((id) => entries.get(id)))
        .filter(
          (group) =>
            group.every(({ status }) => status === 'active') &&
            !group.some(({ links }) => group.some(({ key }) => links.includes(key))),
        )
        .map((group) => ({ kind, sides: group.map((entry) => sideOf(entry)) }));
      const conflicts = kind === 'texts' ? texts : pairs;
      return { total: conflicts.length, conflicts };
    },
    memory_drafts({ action = 'list', ids = [], content }) {
      if (action === 'list') return { drafts: care.drafts };
      remember();
      const decided = care.drafts.filter(({ name }) => ids.includes(name));
      if (decided.length < ids.length) throw new Error(`“${ids}” is not a draft any more.`);
      care.drafts = care.drafts.filter((draft) => !decided.includes(draft));
      changed();
      return { ids: decided.map(({ name }) => `of ${name}`), content };
    },
    memory_promote: () => ({
      promoted: care.drafts.filter(({ confidence }) => confidence >= 0.65),
      waiting: care.drafts
        .filter(({ confidence }) => confidence < 0.65)
        .map((draft) => ({
          ...draft,
          phrase: { text: 'confidence {0}', values: [draft.confidence.toFixed(2)] },
        })),
    }),
    memory_archive({ dryRun = false, expired = false }) {
      const old = active().filter(({ updated, expires }) =>
        expired ? expires !== null && expires < Date.now() : updated < Date.now() - 30 * DAY,
      );
      if (!dryRun) {
        remember();
        for (const entry of old) entries.set(entry.id, { ...entry, status: 'archived' });
        mended(({ kind }) => kind === 'expired');
        changed();
      }
      const phrase = { text: 'not changed since {0}', values: ['2026-01-02'] };
      return { archived: old.map((entry) => ({ ...nameOf(entry), phrase })), active: active().length };
    },
    memory_consolidate({ dryRun = false }) {
      const groups = care.findings
        .filter(({ kind }) => kind === 'duplicate')
        .map(({ entry }) => ({ winner: nameOf(active()[0]), losers: [entry] }));
      if (!dryRun) {
        remember();
        mended(({ kind }) => kind === 'duplicate');
        changed();
      }
      return { groups };
    },
    session_put_away({ sessions, back }) {
      if (back) care.findings = past.pop().care.findings;
      else {
        remember();
        mended(({ fix }) => fix?.tool === 'session_put_away' && sessions.includes(fix.input.sessions[0]));
      }
      changed();
      return { sessions };
    },
    memory_take_back({ ids, from }) {
      const at = past.findIndex((each) => each.at >= from);
      const before = past[at];
      past.length = at;
      entries.clear();
      for (const [id, entry] of before.entries) entries.set(id, entry);
      Object.assign(care, before.care);
      changed();
      return { ids };
    },
  };
  return { tools, remember, mended };
};
