import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { createZstdDecompress } from 'node:zlib';
import type { Found, Tool } from './history.ts';
import { rowsOf } from './read-database.ts';

export interface HistoryFile {
  path: string;
  size: number;
  mtimeMs: number;
}

/** The tool's history below a folder: the tool's home, what lies in it, or a folder further down. In order of path. */
export async function findHistory(tool: Tool, folder: string): Promise<HistoryFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // A folder further down has lost what comes before it.
    .filter((path) => tool.isHistory(slashed(relative(folder, path))) || tool.isHistory(slashed(path)))
    .sort((a, b) => (byLocation(a, folder) < byLocation(b, folder) ? -1 : 1));
  const seen = new Set<string>();
  const files: HistoryFile[] = [];
  for (const path of paths) {
    const name = archiveName(path);
    if (seen.has(name)) continue;
    seen.add(name);
    const { size, mtimeMs } = await stat(path);
    files.push({ path, size, mtimeMs });
  }
  return files;
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

/** Archived files after the active ones. */
function byLocation(path: string, folder: string): string {
  return `${path.includes('archived_') ? 1 : 0}${relative(folder, path)}`;
}

/** Codex keeps one rollout as active or archived, plain or compressed. */
function archiveName(path: string): string {
  return basename(path).startsWith('rollout-') ? basename(path).replace(/\.zst$/, '') : path;
}

/** What a file says, in order. What cannot be read is left out, and said. */
export async function readHistory(tool: Tool, path: string): Promise<Found[]> {
  const reader = tool.open(path);
  const found: Found[] = [];
  try {
    for await (const line of linesOf(tool, path)) found.push(...reader.line(line));
    found.push(...reader.end());
  } catch {
    found.push({ leftOut: 'a file that cannot be read' });
  }
  return found.map((item) => ('call' in item ? { call: { ...item.call, file: path } } : item));
}

/** The lines of a history file, decompressed; a database's rows and a whole document are one line each. */
async function* linesOf(tool: Tool, path: string): AsyncGenerator<string> {
  if (path.endsWith('.db')) {
    yield* rowsOf(path);
  } else if (tool.isWhole) {
    yield readFileSync(path, 'utf8');
  } else {
    const file = createReadStream(path);
    const input = path.endsWith('.zst') ? file.pipe(createZstdDecompress()) : file;
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  }
}

const projects = new Map<string, string>();

/** The name of the repository that a folder lies in, or of the folder itself. */
export function projectOf(cwd: string): string {
  const known = projects.get(cwd);
  if (known !== undefined) return known;
  let root = cwd;
  while (!existsSync(join(root, '.git')) && dirname(root) !== root) root = dirname(root);
  const project = basename(existsSync(join(root, '.git')) ? root : cwd.replace(/[\\/]+$/, ''));
  projects.set(cwd, project);
  return project;
}
