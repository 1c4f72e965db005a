import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../../shared/core/accounts/organizations/create-organization.ts';
import { type Signal, signalRows } from '../../../shared/core/calls/signals/model.ts';
import type { Scope } from '../../../shared/platform/basics/contract.ts';
import type { Stage } from '../../bench/stage.ts';
import { MARKS } from '../models/ledger.ts';

/** A running service, its address, and a folder for what a trial installs and writes. */
export interface Trial {
  stage: Stage;
  api: string;
  folder: string;
}

/** The outcome of one trial; `result` is `right`, or begins with `WRONG` or `skipped`. */
export type Row = Record<string, string>;

/** Thrown where a trial cannot be made on this machine, with the reason. */
export class Skipped extends Error {}

export const PROJECT = 'demo';
export const RUN_MS = 120_000;
const INSTALL_MS = 900_000;
/** An address without a proxy: no request that names one gets anywhere. */
const NOWHERE = 'http://127.0.0.1:9';

/** Runs a program that installs something. Throws `Skipped` where it cannot. */
export function install(
  [program = '', ...args]: readonly string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): void {
  try {
    execFileSync(program, args, {
      ...(cwd ? { cwd } : {}),
      env: { ...process.env, ...env },
      stdio: 'pipe',
      timeout: INSTALL_MS,
    });
  } catch (error) {
    throw new Skipped(`${program} could not install it: ${String(error).trim().slice(-300)}`);
  }
}

/** A virtual environment with packages of PyPI; its folder of programs. */
export function installPython(packs: readonly string[], folder: string): string {
  const venv = join(folder, 'venv');
  install(['python3', '-m', 'venv', venv]);
  install([join(venv, 'bin/python'), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packs]);
  return join(venv, 'bin');
}

export function pythonVersion(pack: string, programs: string): string {
  const ask = `from importlib.metadata import version; print(version(${JSON.stringify(pack)}))`;
  return execFileSync(join(programs, 'python'), ['-c', ask], { encoding: 'utf8' }).trim();
}

/** The variables of a program under trial: nothing of this process's own, and no way to the network. */
export function baseEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TERM: 'dumb',
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

/** An organization of its own with a key; a bound one as `governor connect --user-id --project-id` makes it. */
export async function connect(
  { stage: { ctx } }: Trial,
  name: string,
  { scopes, isBound }: { scopes: readonly Scope[]; isBound: boolean },
): Promise<{ orgId: string; key: string }> {
  const { _id: orgId } = await createOrganization(ctx, { name, plan: 'enterprise' });
  const bound = isBound ? { user_id: 'ada', project_id: PROJECT } : {};
  const { key } = await createApiKey(ctx, { org_id: orgId, scopes: [...scopes], ...bound });
  return { orgId, key };
}

export function readSignals({ stage }: Trial, orgId: string): Promise<Signal[]> {
  return signalRows(stage.ctx).find({ org_id: orgId }).toArray();
}

/** The collection in which content was found. */
export async function findLeak({ stage: { ctx } }: Trial, orgId: string): Promise<string> {
  for (const { name } of await ctx.db.connection.listCollections()) {
    const rows = await ctx.db.connection.collection(name).find({}).toArray();
    const text = JSON.stringify(rows.filter((row) => JSON.stringify(row).includes(orgId)));
    if (Object.values(MARKS).some((mark) => text.includes(mark))) return `FOUND in ${name}`;
  }
  return 'none';
}
