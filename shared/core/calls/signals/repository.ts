/** Paths of one machine, and transports of git that run a program (`ext::`). */
const NO_ADDRESS = /^(?:[/.~]|file:|[a-z]:|[a-z0-9+.-]+::)/;
const UNPRINTABLE = /[\s\\\p{Cc}]/u;

/**
 * The normal form of a repository's address: `github.com/acme/shop`, in lower case, whatever form a remote is written in
 * (https://git-scm.com/docs/git-clone#_git_urls). Scheme, credentials, port, query, `.git` and final slashes are cut off.
 * Null for a path of one machine, which is never stored, and for a text that is no address. Equal for its own result.
 */
export function normalRepository(address: string): string | null {
  const text = address.toLowerCase();
  if (!text.isWellFormed() || UNPRINTABLE.test(text) || NO_ADDRESS.test(text)) return null;
  const [bare = ''] = text.split(/[?#]/, 1);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//.exec(bare)?.[0];
  const parts = scheme === undefined ? splitShort(bare) : splitUrl(bare.slice(scheme.length));
  if (parts === null || parts.host === '' || NO_ADDRESS.test(parts.host)) return null;
  const segments = parts.path
    .replace(/(?:\/|\.git)+$/, '')
    .split('/')
    .filter(Boolean);
  // Neither the rest of a credential that holds a slash nor a step upwards is a name.
  const isNoName = (name: string) => name === '.' || name === '..' || name.includes('@');
  if (segments.length === 0 || isNoName(parts.host) || segments.some(isNoName)) return null;
  return [parts.host, ...segments].join('/');
}

interface Parts {
  host: string;
  path: string;
}

/** The host and the path behind `scheme://`; null where the host is followed by what is no port. */
function splitUrl(text: string): Parts | null {
  const { first, path } = splitAtSlash(text);
  const host = withoutUser(first);
  const found = /^(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/.exec(host)?.[1];
  return found === undefined ? null : { host: found, path };
}

/** `user@host:path`, `host/path`, or `host:port/path`, which is a URL without its scheme where no user stands before. */
function splitShort(text: string): Parts | null {
  const { first, path } = splitAtSlash(text);
  const host = withoutUser(first);
  if (/^(?:\[[^\]]*\]|[^:[\]]*):\d+$/.test(host) && host === first) return splitUrl(text);
  const [, found, begin] = /^(\[[^\]]*\]|[^:[\]]*)(?::(.*))?$/.exec(host) ?? [];
  return found === undefined ? null : { host: found, path: `${begin ?? ''}/${path}` };
}

function splitAtSlash(text: string): { first: string; path: string } {
  const slash = text.indexOf('/');
  return slash < 0 ? { first: text, path: '' } : { first: text.slice(0, slash), path: text.slice(slash + 1) };
}

function withoutUser(text: string): string {
  return text.slice(text.lastIndexOf('@') + 1);
}
