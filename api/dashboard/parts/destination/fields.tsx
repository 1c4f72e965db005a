import { Checkbox, SimpleGrid, Stack, Text } from '@mantine/core';
import type { useDraft } from '../form/act-form.tsx';
import { Choice, TextField } from '../form/fields.tsx';
import type { Destination, DestinationChange, NewDestination } from './queries.ts';
import { FORMATS, type Format, LEVELS, type Level } from './words.ts';

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

const HOURS = Object.fromEntries(
  Array.from({ length: 24 }, (_, hour) => [hour, `${String(hour).padStart(2, '0')}:00 UTC`]),
);
const KINDS = { s3: 'A bucket (S3)', folder: 'A folder of the service' } as const;
const WRITTEN = { '': 'Not written', ...FORMATS } as const;

type FieldOf = ReturnType<typeof useDraft<Draft>>['field'];

/** The fields of a destination; the kind of one that is there stays. */
export function DestinationFields({
  draft,
  field,
  existing,
}: {
  draft: Draft;
  field: FieldOf;
  existing?: Destination;
}) {
  return (
    <>
      {!existing && <Choice label="Where to" of={KINDS} {...field('kind')} />}
      <TextField
        label="Name"
        required
        maxLength={80}
        placeholder="Finance"
        description="By which people know it here"
        {...field('name')}
      />
      {draft.kind === 's3' && <BucketFields draft={draft} field={field} existing={existing} />}
      <TextField
        label="Prefix"
        required
        maxLength={200}
        pattern="/?[A-Za-z0-9._=\-]+(/[A-Za-z0-9._=\-]+)*/?"
        description="Everything is written below it. Nothing else may write there"
        {...field('prefix')}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Choice label={LEVELS.focus} of={WRITTEN} {...field('focus')} />
        <Choice label={LEVELS.daily} of={WRITTEN} {...field('daily')} />
        <Choice label={LEVELS.sessions} of={WRITTEN} {...field('sessions')} />
      </SimpleGrid>
      {!hasTable(draft) && (
        <Text size="sm" c="var(--bad)">
          Choose a format for one of the three at least.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Choice label="Written each day at" of={HOURS} {...field('hour')} />
        <TextField label="First day (UTC)" type="date" required {...field('since')} />
      </SimpleGrid>
      <More draft={draft} field={field} />
    </>
  );
}

function BucketFields({
  draft,
  field,
  existing,
}: {
  draft: Draft;
  field: FieldOf;
  existing: Destination | undefined;
}) {
  const isSentElsewhere =
    existing !== undefined &&
    (draft.endpoint !== existing.endpoint || draft.access_key_id !== existing.access_key_id);
  return (
    <>
      <TextField
        label="Endpoint"
        required
        placeholder="https://s3.eu-central-1.amazonaws.com"
        pattern="https?://[a-z0-9.\-]+(:\d+)?/?"
        title="The address of the server without a path, such as https://s3.eu-central-1.amazonaws.com"
        description="The address of the server, one that the operator allows"
        {...field('endpoint')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField label="Region" required placeholder="eu-central-1" {...field('region')} />
        <TextField label="Bucket" required placeholder="acme-finops" {...field('bucket')} />
        <TextField
          label="Access key ID"
          required
          autoComplete="off"
          spellCheck={false}
          {...field('access_key_id')}
        />
        <TextField
          label="Secret access key"
          type="password"
          autoComplete="new-password"
          required={existing === undefined || isSentElsewhere}
          description={
            existing
              ? 'Empty: the one that is kept. A new endpoint or access key needs it again'
              : 'Kept sealed, and never shown again'
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...field('secret')}
        />
      </SimpleGrid>
    </>
  );
}

/** The fields that most people leave as they are. */
function More({ draft, field }: { draft: Draft; field: FieldOf }) {
  const pathStyle = field('path_style');
  if (draft.kind === 'folder' && draft.focus === '') return null;
  return (
    <details>
      <summary>More settings</summary>
      <Stack mt="sm">
        {draft.focus !== '' && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Choice
              label="Version of FOCUS"
              of={{ '1.2': '1.2', '1.3': '1.3' }}
              {...field('focus_version')}
            />
            <Choice
              label="BilledCost"
              of={{ computed: 'The computed cost', invoice: '0, since the vendor’s invoice has it' }}
              {...field('billed')}
            />
          </SimpleGrid>
        )}
        {draft.kind === 's3' && (
          <Checkbox
            label="The bucket is in the path of the address"
            description="Uncheck it for a server that wants it in the name of the host"
            checked={pathStyle.value}
            onChange={(event) => pathStyle.onChange(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </details>
  );
}
