/** The api, as a demo organization's key of every scope sees it. */
export interface Target {
  api: string;
  apiKey: string;
  signal: AbortSignal;
}

/** Returns the answer to a request of `/api/v1`. Throws when it is refused. */
export async function send(
  { api, apiKey, signal }: Target,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<unknown> {
  const response = await fetch(`${api}/api/v1/${path}`, {
    method,
    signal,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
