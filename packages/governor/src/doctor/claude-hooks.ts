import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, type Json } from '../readers/history.ts';
import {
  type AskingHook,
  asObjects,
  isAskingCommand,
  type Machine,
  readSettings,
  type Settings,
  settingsObstacle,
} from './hook.ts';

const MANAGED_FOLDERS = ['/etc/claude-code', '/Library/Application Support/ClaudeCode'];

interface Around {
  /** With the variables of the settings. */
  readonly machine: Machine;
  readonly managed: readonly Settings[];
  readonly all: readonly Settings[];
}

/** Finds what Claude Code would ask (https://code.claude.com/docs/en/hooks). Throws for a settings file that is no JSON. */
export function findClaudeHooks(machine: Machine): AskingHook[] {
  const around = readAround(machine);
  return around.all.flatMap((settings) => hooksOf(settings, switchedOff(settings, around), around));
}

/**
 * The service that Claude Code's settings name by `env`, or else by an HTTP hook. Throws for a settings file that is no JSON.
 */
export function claudeTarget(machine: Machine): { api: string | undefined; key: string | undefined } {
  const { machine: seen } = readAround(machine);
  const urls = findClaudeHooks(machine).flatMap(({ asks }) => ('url' in asks ? [asks.url] : []));
  const ofHook = urls[0]?.replace(/\/hooks\/claude-code\b.*$/, '');
  return { api: seen.env.GOVERNOR_API || ofHook, key: seen.env.GOVERNOR_API_KEY };
}

/** Reads all settings. Later files win, and managed ones win over all. */
function readAround(machine: Machine): Around {
  const { home, cwd, env, managedFolders = MANAGED_FOLDERS } = machine;
  const managed = readSettings(managedFolders.flatMap(managedFiles));
  const own = readSettings([
    join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.local.json'),
  ]);
  const set = [...own, ...managed].flatMap(({ content }) => Object.entries(asObject(content.env) ?? {}));
  const given = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  return { machine: { ...machine, env: { ...env, ...given } }, managed, all: [...managed, ...own] };
}

/** `managed-settings.json`, then the files of `managed-settings.d` by name. */
function managedFiles(folder: string): string[] {
  const parts = join(folder, 'managed-settings.d');
  const names = existsSync(parts) ? readdirSync(parts).filter((name) => /^[^.].*\.json$/.test(name)) : [];
  return [join(folder, 'managed-settings.json'), ...names.sort().map((name) => join(parts, name))];
}

/** Why the hooks of a file do not run. People switch off their own only; managed settings switch off all. */
function switchedOff(settings: Settings, { managed, all }: Around): string | null {
  const isManaged = managed.includes(settings);
  if (!isManaged && managed.some(({ content }) => content.allowManagedHooksOnly === true))
    return 'Managed settings allow managed hooks only (allowManagedHooksOnly): add the hook there.';
  const off = (isManaged ? managed : all).find(({ content }) => content.disableAllHooks === true);
  return off ? `Hooks are switched off by disableAllHooks in ${off.file}.` : null;
}

function hooksOf({ file, content }: Settings, off: string | null, around: Around): AskingHook[] {
  return Object.entries(asObject(content.hooks) ?? {}).flatMap(([event, groups]) =>
    asObjects(groups).flatMap(({ matcher, hooks }) =>
      asObjects(hooks).flatMap((hook) => {
        const asks = asksOf(hook, around);
        if (!asks) return [];
        const { async: isAsync, if: condition, timeout: timeoutS } = hook;
        const obstacle =
          off ?? settingsObstacle({ matcher, isAsync, timeoutS, condition }) ?? urlObstacle(asks, around);
        return [{ event, file, asks, env: around.machine.env, obstacle }];
      }),
    ),
  );
}

function asksOf(hook: Json, around: Around): AskingHook['asks'] | null {
  if (isAskingCommand(hook.command)) return { command: hook.command };
  const { url } = hook;
  if (hook.type !== 'http' || typeof url !== 'string' || !/\/hooks\/claude-code\b/.test(url)) return null;
  return { url, headers: headersOf(hook, around) };
}

/** The headers as Claude Code sends them: a variable that the settings do not allow, or that is not set, is empty. */
function headersOf(hook: Json, { machine, all }: Around): Record<string, string> {
  const limits = listsOf(all, 'httpHookAllowedEnvVars');
  const allowed = textsOf(hook.allowedEnvVars).filter((name) => limits === null || limits.includes(name));
  const expand = (value: string) =>
    value.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return allowed.includes(name) ? (machine.env[name] ?? '') : '';
    });
  const entries = Object.entries(asObject(hook.headers) ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, expand(String(value))]));
}

function urlObstacle(asks: AskingHook['asks'], { all }: Around): string | null {
  const patterns = listsOf(all, 'allowedHttpHookUrls');
  if (!('url' in asks) || patterns === null) return null;
  const isAllowed = patterns.some((pattern) => wildcard(pattern).test(asks.url));
  return isAllowed ? null : `allowedHttpHookUrls does not allow ${asks.url}.`;
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** All texts that settings files list under a name; null when no file has that list. */
function listsOf(all: readonly Settings[], name: string): string[] | null {
  const lists = all.filter(({ content }) => Array.isArray(content[name]));
  return lists.length === 0 ? null : lists.flatMap(({ content }) => textsOf(content[name]));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
