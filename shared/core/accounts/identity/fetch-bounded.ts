const TIMEOUT_MS = 3_000;
const LARGEST_BYTES = 262_144;

/**
 * Fetches a small JSON document of the identity provider: at most 3 s in all, at most 256 KiB after inflating, no
 * redirect. Throws an Error that says what was wrong.
 */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { Accept: 'application/json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answers ${response.status}`);
  }
  return JSON.parse(await readBounded(response, url));
}

async function readBounded(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > LARGEST_BYTES) throw new Error(`${url} answers more than ${LARGEST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
