import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { normalRepository } from '../../../../shared/core/calls/signals/repository.ts';

/** The place that a folder is at, as contexts name it. */
export interface Place {
  /** Null: no repository that others know. */
  repository: string | null;
  branch?: string;
  commit?: string;
  worktree?: string;
}

/** A folder of a repository. */
export interface Checkout {
  place: Place;
  /** Its top folder, which stays on this machine. */
  folder: string;
  /** The last rename of the branch. */
  renamed: { from: string; atMs: number } | null;
}

const run = promisify(execFile);
const PATIENCE_MS = 1_500;

/** A folder's own configuration may name programs. These settings win over it, so that none of them runs. */
const HARMLESS = ['log.showSignature=false', 'core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap(
  (setting) => ['-c', setting],
);

/** Asks git; null when it answers with an error, or there is none. */
type Git = (...args: string[]) => Promise<string | null>;

/**
 * Git in a folder. In hooks git sets variables that name the repository of the hook (`GIT_DIR` and its kin); they would overrule
 * the folder.
 */
function gitIn(cwd: string, env: Readonly<Record<string, string | undefined>>): Git {
  const isKept = (name: string) =>
    !name.startsWith('GIT_') || /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM)|EXEC_PATH)$/.test(name);
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
  const options = { cwd, env: { ...own, GIT_OPTIONAL_LOCKS: '0' }, timeout: PATIENCE_MS, windowsHide: true };
  return async (...args) => {
    try {
      const { stdout } = await run('git', [...HARMLESS, ...args], options);
      return stdout.replace(/\n$/, '');
    } catch {
      return null;
    }
  };
}

/** Reads the place of a folder; null for one that lies in no repository. */
export async function readCheckout(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Checkout | null> {
  const git = gitIn(cwd, env);
  const paths = (await git('rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'))?.split(
    '\n',
  );
  const [folder, gitFolder = '', common = ''] = paths ?? [];
  if (folder === undefined || folder === '') return null;
  const [branch, commit] = await Promise.all([
    readBranch(git, gitFolder),
    git('rev-parse', '--quiet', '--verify', 'HEAD'),
  ]);
  const [address, renamed] = await Promise.all([
    readAddress(git, branch),
    branch === null ? null : readRename(git, branch),
  ]);
  const repository = address === null ? null : normalRepository(address);
  const isLinked = gitFolder !== '' && /[/\\]worktrees[/\\][^/\\]+$/.test(gitFolder) && common !== gitFolder;
  const place: Place = {
    repository,
    ...(repository !== null && branch !== null ? { branch } : {}),
    ...(repository !== null && commit ? { commit } : {}),
    ...(repository !== null && isLinked ? { worktree: basename(folder).slice(0, 128) } : {}),
  };
  return { place, folder, renamed: repository === null ? null : renamed };
}

/** The branch that is checked out, also while it is rebased; null for a detached HEAD. */
async function readBranch(git: Git, gitFolder: string): Promise<string | null> {
  const name = await git('symbolic-ref', '--quiet', '--short', 'HEAD');
  if (name) return name;
  for (const state of ['rebase-merge', 'rebase-apply']) {
    const head = await readFile(join(gitFolder, state, 'head-name'), 'utf8').catch(() => '');
    const rebased = /^refs\/heads\/(.+)\n?$/.exec(head)?.[1];
    if (rebased) return rebased;
  }
  return null;
}

/** The address of the remote that the branch is pushed to. */
async function readAddress(git: Git, branch: string | null): Promise<string | null> {
  const names = (await git('remote'))?.split('\n').filter(Boolean) ?? [];
  const configured = async (key: string) => (await git('config', '--get', key)) || null;
  const candidates = [
    branch === null ? null : await configured(`branch.${branch}.pushRemote`),
    await configured('remote.pushDefault'),
    branch === null ? null : await configured(`branch.${branch}.remote`),
    'origin',
    names.length === 1 ? (names[0] ?? null) : null,
  ];
  const remote = candidates.find((name) => name !== null && names.includes(name));
  return remote ? git('remote', 'get-url', '--push', remote) : null;
}

/** The last rename of a branch, from its reflog. */
async function readRename(git: Git, branch: string): Promise<Checkout['renamed']> {
  const log = await git(
    'log',
    '-g',
    '--no-show-signature',
    '--no-ext-diff',
    '-n',
    '100',
    '--date=unix',
    '--format=%gd%x09%gs',
    `refs/heads/${branch}`,
    '--',
  );
  for (const line of log?.split('\n') ?? []) {
    const [, seconds, from, to] =
      /@\{(\d+)\}\tBranch: renamed refs\/heads\/(\S+) to refs\/heads\/(\S+)$/.exec(line) ?? [];
    if (from && to === branch) return { from, atMs: Number(seconds) * 1_000 };
  }
  return null;
}
