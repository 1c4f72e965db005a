/**
 * The environment of the api and the worker: what the user set wins over what a data folder brings; what only this run
 * can know (`forced`) wins over both. An empty variable counts as unset.
 */
export function buildEnvironment(
  given: NodeJS.ProcessEnv,
  defaults: Record<string, string>,
  forced: Record<string, string>,
): Record<string, string> {
  const set = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return { ...defaults, ...Object.fromEntries(set), ...forced };
}

/** Where a browser on this machine finds the api: an address that means "all" is no destination. */
export function apiAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
