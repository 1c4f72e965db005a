import type { Destination, DestinationChange, NewDestination } from './queries.ts';
import { type Format, LEVELS, type Level } from './words.ts';

/** A destination as people type it. An empty format is a table that is not written. */
export interface Draft {
  kind: Destination['kind'];
  name: string;
  endpoint: string;
  region: string;
  bucket: string;
  path_style: boolean;
  prefix: string;
  access_key_id: string;
  secret: string;
  focus: Format | '';
  daily: Format | '';
  sessions: Format | '';
  focus_version: '1.2' | '1.3';
  billed: 'computed' | 'invoice';
  hour: string;
  since: string;
}

const NEW = {
  kind: 's3',
  name: '',
  endpoint: '',
  region: '',
  bucket: '',
  path_style: true,
  prefix: 'governor',
  access_key_id: '',
  secret: '',
  focus: 'parquet',
  daily: '',
  sessions: '',
  focus_version: '1.2',
  billed: 'computed',
  hour: '3',
} as const;

/** A destination as the form begins: from the first of this month on. */
export function newDraft(): Draft {
  return { ...NEW, since: `${new Date().toISOString().slice(0, 7)}-01` };
}

export function draftOf(destination: Destination): Draft {
  const formatOf = (name: Level) => destination.levels.find(({ level }) => level === name)?.format ?? '';
  const focus = destination.levels.find(({ level }) => level === 'focus');
  return {
    kind: destination.kind,
    name: destination.name,
    endpoint: destination.endpoint ?? '',
    region: destination.region ?? '',
    bucket: destination.bucket ?? '',
    path_style: destination.path_style ?? true,
    prefix: destination.prefix,
    access_key_id: destination.access_key_id ?? '',
    secret: '',
    focus: formatOf('focus'),
    daily: formatOf('daily'),
    sessions: formatOf('sessions'),
    focus_version: focus?.focus_version ?? '1.2',
    billed: focus?.billed ?? 'computed',
    hour: String(destination.hour_utc),
    since: destination.since,
  };
}

/** The body that adds a destination. */
export function bodyOf(draft: Draft): NewDestination {
  return { kind: draft.kind, ...changeOf(draft) } as NewDestination;
}

/** The body that changes a destination; an empty secret stays as it is. */
export function changeOf(draft: Draft): DestinationChange {
  const { name, prefix, hour, since, endpoint, region, bucket, access_key_id, path_style, secret } = draft;
  const place = {
    endpoint: endpoint.trim().replace(/\/+$/, ''),
    region: region.trim(),
    bucket: bucket.trim(),
    access_key_id: access_key_id.trim(),
    path_style,
    ...(secret === '' ? {} : { secret_access_key: secret.trim() }),
  };
  return {
    name: name.trim(),
    prefix: prefix.trim().replace(/^\/+|\/+$/g, ''),
    levels: levelsOf(draft),
    hour_utc: Number(hour),
    since,
    ...(draft.kind === 's3' ? place : {}),
  };
}

function levelsOf(draft: Draft): Destination['levels'] {
  const { focus_version, billed } = draft;
  return (Object.keys(LEVELS) as Level[]).flatMap((level) => {
    const { [level]: format } = draft;
    if (format === '') return [];
    return level === 'focus' ? { level, format, focus_version, billed } : { level, format };
  });
}

/** True once the form may be sent: what is missing else is said by the browser. */
export function hasTable({ focus, daily, sessions }: Draft): boolean {
  return [focus, daily, sessions].some((format) => format !== '');
}
