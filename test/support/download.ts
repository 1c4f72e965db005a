import { type TestApi, until } from './harness.ts';

/** A file of an export, as its holder downloads it. A busy machine sheds exports first: a client comes again. */
export async function download(at: Pick<TestApi, 'url'>, key: string, query: Record<string, string>) {
  const url = `${at.url}/api/v1/usage/export?${new URLSearchParams(query).toString()}`;
  const ask = async () => {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { status, headers } = answer;
    return status === 503 ? null : { status, headers, bytes, text: bytes.toString() };
  };
  return until(ask, { what: 'an export to be let in' });
}
