import { parseObject } from './history.ts';

interface Row {
  id: string;
  session_id: string;
  data: string;
}

/** opencode's messages as its files had them, a line each. */
export async function* rowsOf(path: string): AsyncGenerator<string> {
  // Imported here: Node 22 warns whoever so much as imports it.
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, session_id, data FROM message ORDER BY id').iterate();
    for (const row of rows as Iterable<unknown>) {
      const { id, session_id, data } = row as Row;
      // A damaged row is a line that says nothing, as in a file.
      yield JSON.stringify({ ...parseObject(data), id, sessionID: session_id });
    }
  } finally {
    database.close();
  }
}
