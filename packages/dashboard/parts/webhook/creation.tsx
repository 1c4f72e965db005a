import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { ActForm } from '../form/act-form.tsx';
import { ShownOnce } from '../form/copyable.tsx';
import { TextField } from '../form/fields.tsx';
import { PageLink } from '../text/page-link.tsx';
import { type AlertFields, AlertSettings, NO_ALERTS, settingsOf } from './alert-settings.tsx';
import { EVENT_TYPES, EventChoice, type EventType, newSecret, VerifySnippet } from './events.tsx';
import { isEmptyFilter } from './filter-fields.tsx';
import { AddressField, type Channel, ChannelChoice, type Format, urlOf } from './format-choice.tsx';
import { MessagePreview } from './message-preview.tsx';

const KEEP_SECRET =
  'Keep this secret now: it is not shown again. Every delivery is signed with it in the header X-Service-Signature.';

/** The events that a new channel names: those about which somebody has to do something. */
const CHANNEL_EVENTS: EventType[] = [
  'budget.warning',
  'budget.exceeded',
  'budget.raise_requested',
  'anomaly.detected',
  'signals.held',
];

interface Draft {
  name: string;
  url: string;
  events: EventType[];
  alerts: AlertFields;
}

/** The draft of a webhook, and the act that registers it. */
function useCreation(format: Format, initial: Pick<Draft, 'events' | 'alerts'>, secret?: string) {
  const [draft, setDraft] = useState<Draft>({ name: '', url: '', ...initial });
  const { name, url, events, alerts } = draft;
  const named = name.trim() === '' ? {} : { name: name.trim() };
  const target = { url: urlOf(format, url), format, ...named, ...(secret ? { secret } : {}) };
  const body = { ...target, events, ...settingsOf(alerts) };
  const headers = useIdempotencyKey(body);
  const create = useAct(() => take(api.POST('/api/v1/webhooks', { headers, body })), {
    changes: ['webhooks'],
    done: format === 'json' ? 'The webhook is created.' : 'The channel is created.',
  });
  return { draft, set: (change: Partial<Draft>) => setDraft({ ...draft, ...change }), create };
}

/** Registers an endpoint. Its secret is made in this browser and shown this once. */
export function EndpointCreation({ onDone }: { onDone: () => void }) {
  const [secret] = useState(newSecret);
  const { draft, set, create } = useCreation('json', { events: EVENT_TYPES, alerts: NO_ALERTS }, secret);
  if (create.isSuccess)
    return (
      <ShownOnce words={KEEP_SECRET} label="Secret" value={secret} onDone={onDone}>
        <VerifySnippet />
      </ShownOnce>
    );
  return (
    <ActForm act={create} submit="Create" onCancel={onDone}>
      <AddressField format="json" url={draft.url} onUrl={(url) => set({ url })} />
      <NameField value={draft.name} onChange={(name) => set({ name })} />
      <EventChoice value={draft.events} onChange={(events) => set({ events })} />
      <AlertSettings isChannel={false} value={draft.alerts} onChange={(alerts) => set({ alerts })} />
      <Divider />
      <MessagePreview format="json" />
    </ActForm>
  );
}

/** Adds a chat or a mailbox. It begins with what somebody has to do something about. */
export function ChannelCreation({ onDone }: { onDone: () => void }) {
  const [format, setFormat] = useState<Channel>('slack');
  const { draft, set, create } = useCreation(format, {
    events: CHANNEL_EVENTS,
    alerts: { ...NO_ALERTS, forecast: true },
  });
  if (create.isSuccess) return <Made id={create.data.id} onDone={onDone} />;
  return (
    <ActForm act={create} submit="Add" onCancel={onDone} isReady={!isEmptyFilter(draft.alerts.filter)}>
      <ChannelChoice
        format={format}
        onFormat={(chosen) => {
          setFormat(chosen);
          set({ url: '' });
        }}
      />
      <AddressField format={format} url={draft.url} onUrl={(url) => set({ url })} />
      <NameField value={draft.name} onChange={(name) => set({ name })} />
      <EventChoice value={draft.events} onChange={(events) => set({ events })} />
      <AlertSettings isChannel value={draft.alerts} onChange={(alerts) => set({ alerts })} />
      <Divider />
      <MessagePreview format={format} />
    </ActForm>
  );
}

const NAME_LENGTH = 80;

export function NameField(field: { value: string; onChange: (name: string) => void }) {
  return (
    <TextField
      label="Name"
      description="Shown here instead of the address"
      maxLength={NAME_LENGTH}
      {...field}
    />
  );
}

function Made({ id, onDone }: { id: string; onDone: () => void }) {
  return (
    <Stack>
      <Text>
        The channel is ready. <PageLink to={`/alerts/${id}`}>Open it and send a test</PageLink>
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>Close</Button>
      </Group>
    </Stack>
  );
}
