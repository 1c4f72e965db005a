import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseObject } from '../governor/src/readers/history.ts';
import { exportsFolder } from './files.ts';

export type Environment = Record<string, string | undefined>;

/**
 * The environment, with the stores, secrets and settings of a running `scripts/up` where it does not name its own: none of them where
 * it names another database. The secrets go with the database: those that a `.env` has would make keys that the service refuses.
 */
export function environmentOf(env: Environment, dataDir: string): Environment {
  const up = readJson(join(dataDir, 'up.json'));
  const stores = { MONGODB_URL: asText(up.mongo_url), REDIS_URL: asText(up.redis_url) };
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const { MONGODB_URL = stores.MONGODB_URL } = given;
  if (MONGODB_URL === undefined || MONGODB_URL !== stores.MONGODB_URL) return { LOG_LEVEL: 'warn', ...given };
  const kept = readJson(join(dataDir, 'secrets.json'));
  const service = { ...kept, ...readJson(join(dataDir, 'settings.json')) };
  const secrets = Object.keys(kept).map((name) => [name, service[name]]);
  const own = { LOG_LEVEL: 'warn', NODE_ENV: 'development', EXPORT_FOLDER: exportsFolder(dataDir) };
  return { ...own, ...stores, ...service, ...given, ...Object.fromEntries(secrets) };
}

/** The record that a running scripts/up writes about itself. */
export function readUp(dataDir: string): { api?: string } {
  return readJson(join(dataDir, 'up.json'));
}

/** The API key of the first demo organization, if there is one. */
export function readDemo(dataDir: string): string | undefined {
  const { orgs } = readJson(join(dataDir, 'up.json')) as { orgs?: unknown };
  return Array.isArray(orgs) ? (orgs[0] as { api_key?: string }).api_key : undefined;
}

function readJson(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const content = parseObject(readFileSync(path, 'utf8'));
  if (!content) throw new Error(`${path} is damaged: scripts/up writes it anew.`);
  return content as Record<string, string>;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
