import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { type BodyOf, type Budget, webhooksQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsAdmin, useMe } from '../../data/use-me.ts';
import { ActForm } from '../form/act-form.tsx';
import { Dialog } from '../form/dialog.tsx';
import { Choice } from '../form/fields.tsx';
import { ProblemNote } from '../page/problem-note.tsx';
import { Section } from '../page/section.tsx';
import { PageLink } from '../text/page-link.tsx';
import { UserName, useMemberChoice } from '../text/user-name.tsx';
import { When } from '../time/when.tsx';
import { isChannel } from '../webhook/words.ts';

const HOUR_MS = 3_600_000;
const LENGTHS = { '1': 'An hour', '24': 'A day', '168': 'A week', '720': '30 days' } as const;

type Change = BodyOf<'/api/v1/budgets/{id}', 'patch'>;

function useChange(id: string, done: string, onDone?: () => void) {
  return useAct(
    (body: Change) => take(api.PATCH('/api/v1/budgets/{id}', { params: { path: { id } }, body })),
    { changes: ['budgets'], done, ...(onDone ? { onDone } : {}) },
  );
}

/** The owner of a budget, who gets its alerts, and the time until which nobody does. */
export function BudgetAlerts({ budget }: { budget: Budget }) {
  const isAdmin = useIsAdmin();
  const me = useMe();
  const isOwn = budget.owner !== null && 'user_id' in budget.owner && budget.owner.user_id === me.user_id;
  if (!isAdmin && !isOwn && budget.muted_until === null) return null;
  return (
    <Section title="Alerts">
      <Text size="sm">
        {isOwn && !isAdmin ? (
          'You own this budget: its alerts come to you by mail.'
        ) : isAdmin ? (
          <Owner of={budget.owner} />
        ) : null}{' '}
        {budget.muted_until && (
          <>
            Muted until <When at={budget.muted_until} />: no channel and no owner gets the alerts of this
            time.
          </>
        )}
      </Text>
      {isAdmin && (
        <Group gap="sm">
          {budget.muted_until === null ? <Mute id={budget.id} /> : <Unmute id={budget.id} />}
          <Dialog label="Change the owner" title="The owner of this budget">
            {(close) => <OwnerForm budget={budget} onDone={close} />}
          </Dialog>
        </Group>
      )}
    </Section>
  );
}

function Owner({ of }: { of: Budget['owner'] }) {
  const channels = useQuery({ ...webhooksQuery(), enabled: of !== null && 'webhook_id' in of });
  if (of === null) return 'Nobody owns this budget: its alerts go to the channels that ask for them.';
  if ('user_id' in of)
    return (
      <>
        Its alerts go to <UserName id={of.user_id} /> by mail, and to the channels that ask for them.
      </>
    );
  const channel = channels.data?.data.find(({ id }) => id === of.webhook_id);
  if (channels.data && !channel) return 'The channel that owned this budget is deleted.';
  return (
    <>
      Its alerts go to{' '}
      <PageLink to={`/alerts/${of.webhook_id}`}>{channel?.name ?? channel?.url ?? 'a channel'}</PageLink>, and
      to the other channels that ask for them.
    </>
  );
}

function Mute({ id }: { id: string }) {
  return (
    <Dialog label="Mute" title="Mute this budget">
      {(close) => <MuteForm id={id} onDone={close} />}
    </Dialog>
  );
}

function MuteForm({ id, onDone }: { id: string; onDone: () => void }) {
  const [hours, setHours] = useState<keyof typeof LENGTHS>('24');
  const change = useChange(id, 'The budget is muted.', onDone);
  const mutate = () =>
    change.mutate({ muted_until: new Date(Date.now() + Number(hours) * HOUR_MS).toISOString() });
  return (
    <ActForm act={{ ...change, mutate }} submit="Mute" onCancel={onDone}>
      <Choice label="For" of={LENGTHS} value={hours} onChange={setHours} />
      <Text size="sm" c="dimmed">
        Channels and the owner get none of its alerts until then, and none of them later. It still refuses
        what it refuses.
      </Text>
    </ActForm>
  );
}

function Unmute({ id }: { id: string }) {
  const change = useChange(id, 'The budget is no longer muted.');
  return (
    <>
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ muted_until: null })}
      >
        Unmute
      </Button>
      <ProblemNote error={change.error} />
    </>
  );
}

const KEY_OF = { user_id: 'person', webhook_id: 'channel' } as const;

/** An owner as a value of a choice; empty: nobody. */
function choiceOf(owner: Budget['owner']): string {
  if (owner === null) return '';
  return 'user_id' in owner
    ? `${KEY_OF.user_id}:${owner.user_id}`
    : `${KEY_OF.webhook_id}:${owner.webhook_id}`;
}

function ownerOf(value: string): Budget['owner'] {
  const at = value.indexOf(':');
  if (at < 0) return null;
  const id = value.slice(at + 1);
  return value.slice(0, at) === KEY_OF.user_id ? { user_id: id } : { webhook_id: id };
}

function OwnerForm({ budget, onDone }: { budget: Budget; onDone: () => void }) {
  const [value, setValue] = useState(choiceOf(budget.owner));
  const members = Object.entries(useMemberChoice() ?? {});
  const webhooks = useQuery(webhooksQuery());
  const channels = (webhooks.data?.data ?? []).filter(isChannel);
  const change = useChange(budget.id, 'The owner is changed.', onDone);
  const data = [
    { value: '', label: 'Nobody' },
    {
      group: 'Channels',
      items: channels.map(({ id, name, url }) => ({
        value: `${KEY_OF.webhook_id}:${id}`,
        label: name ?? url,
      })),
    },
    {
      group: 'People, by mail',
      items: members.map(([id, label]) => ({ value: `${KEY_OF.user_id}:${id}`, label })),
    },
  ].filter((each) => !('items' in each) || each.items.length > 0);
  return (
    <ActForm
      act={{ ...change, mutate: () => change.mutate({ owner: ownerOf(value) }) }}
      submit="Save"
      isReady={value !== choiceOf(budget.owner)}
      onCancel={onDone}
    >
      <NativeSelect
        label="Owner"
        description="Gets the alerts whatever the filters of channels say. A person also sees the budget’s name and amounts."
        value={value}
        data={data}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </ActForm>
  );
}
