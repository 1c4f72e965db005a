import { Anchor, Group, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm, useDraft } from '../../parts/form/act-form.tsx';
import { Copyable, ShownOnce } from '../../parts/form/copyable.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Choice, TextField } from '../../parts/form/fields.tsx';
import { type Column, QueryRows } from '../../parts/page/rows.tsx';
import { Empty } from '../../parts/page/section.tsx';
import { Name } from '../../parts/text/name.tsx';
import { Maker } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';

type CodeHost = AnswerOf<'/v1/code-hosts'>['data'][number];
type Provider = CodeHost['provider'];

const PROVIDERS: Record<Provider, string> = { github: 'GitHub', gitlab: 'GitLab', bitbucket: 'Bitbucket' };

/** The way to the webhooks of a code host, and its settings. */
const SETTINGS: Record<Provider, string> = {
  github:
    'In the repository or the organization: Settings, Webhooks, Add webhook. Content type application/json; of the events only "Pull requests".',
  gitlab:
    'In the project or the group: Settings, Webhooks. The secret is the "Signing token", or the "Secret token" where there is none; of the triggers "Merge request events".',
  bitbucket:
    'In the repository: Repository settings, Webhooks. Triggers under "Pull request": Created, Updated, Merged and Declined.',
};

function codeHostsQuery() {
  return queryOptions({
    queryKey: ['code-hosts'],
    queryFn: () => take(api.GET('/v1/code-hosts')),
    // The first event is awaited here.
    refetchInterval: 10_000,
  });
}

/** Where the pull requests are: each code host with its last event. */
export function CodeHostsTab() {
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">
          Code hosts report pull requests, so that each has its cost.{' '}
          <Anchor href="/guide/pull-requests" inherit>
            How to set one up
          </Anchor>
        </Text>
        <Dialog
          name="code-host"
          label="Add a code host"
          variant="filled"
          title="Add a code host"
          size="lg"
          closeOnClickOutside={false}
        >
          {(close) => <CodeHostForm onDone={close} />}
        </Dialog>
      </Group>
      <QueryRows
        query={useQuery(codeHostsQuery())}
        label="Code hosts"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty>No code host yet. Add one, and set its address and secret up there as a webhook.</Empty>
        }
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<CodeHost>[] = [
  { label: 'Provider', isShort: true, narrow: 'first', render: ({ provider }) => PROVIDERS[provider] },
  {
    label: 'Name',
    narrow: 'first',
    share: 20,
    render: ({ name }) => (name === null ? '' : <Name of={name} />),
  },
  { label: 'Address', narrow: 'hidden', isFitting: true, render: ({ url }) => url },
  {
    label: 'Made by',
    narrow: 'hidden',
    render: ({ made_by }) => (made_by ? <Maker of={{ made_by }} /> : '–'),
  },
  { label: 'Added', narrow: 'hidden', render: ({ created_at }) => <When at={created_at} /> },
  {
    label: 'Last event',
    isShort: true,
    render: ({ last_event_at }) =>
      last_event_at === null ? 'none yet' : <When at={last_event_at} precision="second" />,
  },
  { label: '', render: (host) => <DeleteButton host={host} /> },
];

function DeleteButton({ host }: { host: CodeHost }) {
  const path = { id: host.id };
  const remove = useAct(() => take(api.DELETE('/v1/code-hosts/{id}', { params: { path } })), {
    changes: ['code-hosts'],
    done: 'The code host is deleted.',
  });
  const named = host.name ?? PROVIDERS[host.provider];
  return (
    <ActButton
      act={remove}
      question={{
        title: `Delete the code host ${named}?`,
        text: 'Its events are refused from then on. The pull requests that it reported stay.',
        yes: 'Delete',
      }}
      size="compact-sm"
      aria-label={`Delete ${named}`}
    >
      Delete
    </ActButton>
  );
}

const NEW: { provider: Provider; name: string } = { provider: 'github', name: '' };

function CodeHostForm({ onDone }: { onDone: () => void }) {
  const { draft, field } = useDraft(NEW);
  const body = { provider: draft.provider, ...(draft.name === '' ? {} : { name: draft.name }) };
  const header = useIdempotencyKey(body);
  const add = useAct(() => take(api.POST('/v1/code-hosts', { body, params: { header } })), {
    changes: ['code-hosts'],
  });
  if (add.data)
    return (
      <ShownOnce
        words={`Set both up at ${PROVIDERS[add.data.provider]}. The secret is shown this once.`}
        label="Secret"
        value={add.data.secret}
        onDone={onDone}
      >
        <Copyable label="Address" value={add.data.url} />
        <Text size="sm">{SETTINGS[add.data.provider]}</Text>
      </ShownOnce>
    );
  return (
    <ActForm act={add} submit="Add" onCancel={onDone} isReady>
      <Choice label="Code host" of={PROVIDERS} {...field('provider')} />
      <TextField
        label="Name"
        maxLength={80}
        description="Shown beside it, such as the name of the organization there"
        {...field('name')}
      />
    </ActForm>
  );
}
