import { isoTime } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { TIER_LENGTH } from '../../pricing/priced-fields.ts';
import { LATENCY_MAX_MS } from '../signals/input.ts';
import { normalRepository } from '../signals/repository.ts';
import { clip, countOf, entryOf, numberOf, RejectedRecord, textIn, textOf } from './fields.ts';
import type { Attributes, OtlpRecord } from './otlp/record.ts';
import type { Decision, PostedSignal } from './posted.ts';

const LATEST_MS = 8.64e15;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

/** The attribute of a record that names the reservation of its call. */
export const RESERVATION_KEY = 'governor.reservation_id';

/** Attributes that every adapter reads, of the record or of its resource; the reservation is the record's own. */
export const COMMON_KEYS = [
  RESERVATION_KEY,
  'event.name',
  'event.timestamp',
  'session.id',
  'user.email',
  'user.id',
  'enduser.id',
  'enduser.pseudo.id',
  'installation.id',
  'project.id',
  'project',
  'project.repo',
  'vcs.repository.name',
  'vcs.repository.url.full',
  'vcs.provider.name',
  'vcs.owner.name',
  'vcs.ref.head.name',
] as const;

const PROJECT_KEYS = ['project.id', 'project', 'project.repo', 'vcs.repository.name'] as const;
const USER_KEYS = ['user.id', 'enduser.id', 'enduser.pseudo.id', 'installation.id'] as const;

/**
 * When a record happened: `event.timestamp`, else the observed time of a log, else its own time (some tools leave it
 * 0); a span at its end. Throws `RejectedRecord` for a record without a time.
 */
export function timeOf(record: OtlpRecord): string {
  const written = textOf(record, 'event.timestamp');
  const writtenMs = written !== undefined && ISO_TIME.test(written) ? Date.parse(written) : Number.NaN;
  const ms = Number.isNaN(writtenMs) ? (record.observedMs ?? record.timeMs) : writtenMs;
  if (ms === null || !(ms <= LATEST_MS)) throw new RejectedRecord('the record has no time');
  return isoTime(ms);
}

/** The first attribute that is there, of the record, then of its resource. */
function described(record: OtlpRecord, keys: readonly string[]): string | undefined {
  const from = (attributes: Attributes) => textIn(attributes, ...keys);
  return from(record.attributes) ?? from(record.resource);
}

/** The fields that all signals of a tool share. `accountKeys` name its account ids, best first. */
export function baseOf(
  record: OtlpRecord,
  adapter: string,
  accountKeys: readonly string[] = [],
): Pick<PostedSignal, 'adapter' | 'ts' | 'user_id' | 'project_id' | 'repository' | 'branch'> {
  const user = [['user.email'], accountKeys, USER_KEYS]
    .map((keys) => described(record, keys)?.trim())
    .find(Boolean);
  const project = described(record, PROJECT_KEYS);
  return {
    adapter,
    ts: timeOf(record),
    ...(user === undefined ? {} : { user_id: clip(user, 256) }),
    ...(project === undefined ? {} : { project_id: clip(project, 256) }),
    ...placeOf(record),
  };
}

/** The hosts of the providers that OpenTelemetry names (semantic conventions for `vcs.provider.name`). */
const HOSTS: Readonly<Record<string, string>> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
};

/** The repository and the branch that a record, or its resource, says by OpenTelemetry's conventions for version control. */
function placeOf(record: OtlpRecord): Pick<PostedSignal, 'repository' | 'branch'> {
  const [provider = '', owner, name] = ['vcs.provider.name', 'vcs.owner.name', 'vcs.repository.name'].map(
    (key) => described(record, [key]),
  );
  const host = entryOf(HOSTS, provider);
  const named = host && owner && name ? `${host}/${owner}/${name}` : undefined;
  const repository = normalRepository(described(record, ['vcs.repository.url.full']) ?? named ?? '');
  if (repository === null || repository.length > 512) return {};
  const branch = described(record, ['vcs.ref.head.name'])?.replace(/^refs\/heads\//, '');
  // A branch that was cut would be another one.
  return branch && Array.from(branch).length <= 256 ? { repository, branch } : { repository };
}

/** T of an id: the time as the tool wrote it, else the one that counts. */
export function stampOf(record: OtlpRecord): string {
  return textOf(record, 'event.timestamp') ?? timeOf(record);
}

const ID_LENGTH = 128;

/** An id made of a tool's own ids, hashed where it would be too long. */
export function nativeId(...parts: readonly string[]): string {
  const id = clip(parts.join(':'), Number.POSITIVE_INFINITY);
  return id.length <= ID_LENGTH ? id : hashedKey(24, id);
}

const SHORTEST_UNIQUE_ID = 16;

/** True when an id of a tool or a provider is long enough not to repeat: a shorter one is none. */
export function isUniqueId(id: string): boolean {
  return id.length >= SHORTEST_UNIQUE_ID;
}

/** The first of these ids of a record that is long enough not to repeat. */
export function uniqueTextOf(record: OtlpRecord, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => textOf(record, key)).find((id) => id !== undefined && isUniqueId(id));
}

/** An id for a record without one: a hash of the event and of the parts that distinguish it. */
export function derivedFrom(event: string, ...parts: readonly (string | number | undefined)[]): string {
  return hashedKey(24, event, ...parts.map((part) => part ?? ''));
}

/** The pairs that are there, clipped to what a signal may hold. */
export function metadataOf(
  pairs: Readonly<Record<string, string | undefined>>,
): Pick<PostedSignal, 'metadata'> {
  const present = Object.entries(pairs).filter(([, value]) => value !== undefined && value !== '');
  if (present.length === 0) return {};
  return { metadata: Object.fromEntries(present.map(([name, value]) => [name, clip(String(value), 256)])) };
}

/** Attributes as metadata, each under its key with `_` for `.`: `prompt.id` is `prompt_id`. */
export function pairsOf(record: OtlpRecord, keys: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(keys.map((key) => [key.replaceAll('.', '_'), textOf(record, key)]));
}

export function modelOf(record: OtlpRecord, ...keys: readonly string[]): Pick<PostedSignal, 'model'> {
  const model = textOf(record, ...keys);
  return model === undefined ? {} : { model: clip(model, 256) };
}

/** More than a day means that the machine slept or the start is wrong: the call counts, without a latency. */
export function latencyOf(record: OtlpRecord, ...keys: readonly string[]): Pick<PostedSignal, 'latency_ms'> {
  const latency = numberOf(record, ...keys) ?? record.durationMs ?? undefined;
  return latency === undefined || latency > LATENCY_MAX_MS ? {} : { latency_ms: latency };
}

export function toolNameOf(record: OtlpRecord, ...keys: readonly string[]): Pick<PostedSignal, 'tool_name'> {
  const name = textOf(record, ...keys);
  return name === undefined ? {} : { tool_name: clip(name, 256) };
}

/**
 * An error by the first of these attributes, passing over the HTTP status of an answer that began well, and over the `undefined` that
 * versions of Claude Code before 2.1.123 write where there was no answer. Error texts may repeat a prompt, so none is kept.
 */
export function errorOf(
  record: OtlpRecord,
  ...keys: readonly string[]
): Required<Pick<PostedSignal, 'error'>> {
  const codes = keys.map((key) => textOf(record, key));
  const code = codes.find((text) => text !== undefined && !/^(?:[123]\d\d|undefined)$/.test(text));
  return { error: { code: clip(code ?? 'error', 128) } };
}

/** Costs of 0 mean that the tool knew no price. US dollars. */
export function costOf(record: OtlpRecord, ...keys: readonly string[]): Pick<PostedSignal, 'cost_usd'> {
  const cost = numberOf(record, ...keys);
  return cost ? { cost_usd: cost } : {};
}

/** The tier that a call was served in, by the first of these attributes. */
export function tierOf(record: OtlpRecord, ...keys: readonly string[]): Pick<PostedSignal, 'service_tier'> {
  const tier = textOf(record, ...keys);
  return tier === undefined ? {} : { service_tier: clip(tier, TIER_LENGTH) };
}

/** `attempt` of a failed call, as text. */
export function attemptOf(record: OtlpRecord): string {
  return String(countOf(record, 'attempt'));
}

export function interventionOf(
  kind: string,
  decision: Decision,
  severity?: string,
): Pick<PostedSignal, 'type' | 'intervention'> {
  return {
    type: 'intervention',
    intervention: { kind, ...decision, ...(severity === undefined ? {} : { severity: clip(severity, 128) }) },
  };
}
