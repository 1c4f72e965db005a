/** Where to ask, and with which key. */
export interface Source {
  api: string;
  apiKey: string;
}

interface Page {
  data: { id: string; started_at: string }[];
  has_more: boolean;
  cursor: string;
}

/**
 * When the first session of an adapter began that was not imported, in epoch milliseconds: from then on OpenTelemetry
 * told what history tells again under other ids. Null: there is none. Throws when the api refuses.
 */
export async function firstToldMs(source: Source, adapter: string, userId?: string): Promise<number | null> {
  const query = new URLSearchParams({ adapter, order: 'asc', limit: '100' });
  if (userId !== undefined) query.set('user_id', userId);
  for (;;) {
    const page = (await read(source, `/api/v1/sessions?${query.toString()}`)) as Page;
    for (const { id, started_at } of page.data) {
      if (!(await isImported(source, id))) return Date.parse(started_at);
    }
    if (!page.has_more) return null;
    query.set('cursor', page.cursor);
  }
}

async function isImported(source: Source, sessionId: string): Promise<boolean> {
  const { signals } = (await read(source, `/api/v1/sessions/${sessionId}`)) as {
    signals: { metadata?: Record<string, string> }[];
  };
  return signals.every(({ metadata }) => metadata?.source === 'import');
}

async function read({ api, apiKey }: Source, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, api), { headers: { Authorization: `Bearer ${apiKey}` } });
  if (response.ok) return response.json();
  if (response.status === 403)
    throw new Error('The key needs the scope usage:read, to find what OpenTelemetry has told already.');
  throw new Error(`GET ${path.split('?')[0]} answered ${response.status}`);
}
