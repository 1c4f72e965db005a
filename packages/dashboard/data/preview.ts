import { queryOptions } from '@tanstack/react-query';
import { Problem, problemOf } from './client.ts';

/** The beginning of a file, and how many rows it has. */
export interface Preview {
  /** The first rows; a row has a value for each column. */
  first: Record<string, unknown>[];
  rows: number;
  /** True when the file has more rows than were counted. */
  isMore: boolean;
}

const FIRST_ROWS = 5;
/** Counting ends here: the rest would be read for one number. */
const COUNTED_ROWS = 20_000;

/** Reads the beginning of the file at an export's path. */
export function previewOfExport(query: URLSearchParams) {
  const asked = new URLSearchParams(query);
  asked.set('format', 'ndjson');
  const path = `/dashboard/api/v1/usage/export?${asked}`;
  return queryOptions({
    queryKey: ['export', asked.toString()],
    queryFn: ({ signal }) => readPreview(path, signal),
    staleTime: 60_000,
  });
}

async function readPreview(path: string, signal: AbortSignal): Promise<Preview> {
  const response = await fetch(path, { signal }).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new Problem(0, {});
  });
  if (!response.ok || !response.body) throw problemOf(response, await response.json().catch(() => null));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rows = 0;
  let rest = '';
  const first: Preview['first'] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n');
    rest = lines.pop() ?? '';
    rows += lines.length;
    for (const line of lines.slice(0, FIRST_ROWS - first.length)) first.push(JSON.parse(line));
    if (rows < COUNTED_ROWS) continue;
    await reader.cancel();
    return { first, rows, isMore: true };
  }
  return { first, rows, isMore: false };
}
