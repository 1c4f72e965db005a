import { Checkbox, SimpleGrid, Stack, Text } from '@mantine/core';
import type { useDraft } from '../../../parts/form/act-form.tsx';
import { Choice, TextField } from '../../../parts/form/fields.tsx';
import { type Draft, hasTable } from './draft.ts';
import type { Destination } from './queries.ts';
import { FORMATS, LEVELS } from './words.ts';

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
