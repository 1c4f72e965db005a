import { Text } from '@mantine/core';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import type { BodyOf } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActForm, changesOf } from '../form/act-form.tsx';
import { AlertSettings, fieldsOf, settingsOf } from './alert-settings.tsx';
import { NameField } from './creation.tsx';
import { EventChoice } from './events.tsx';
import { isEmptyFilter } from './filter-fields.tsx';
import { isChannel } from './words.ts';

type DetailedWebhook = AnswerOf<'/api/v1/webhooks/{id}'>;

type WebhookChange = BodyOf<'/api/v1/webhooks/{id}', 'patch'>;

/** One change of a webhook; omitted fields stay. */
export function useChange(id: string, done: string, onDone: () => void = () => undefined) {
  return useAct(
    (body: WebhookChange) => take(api.PATCH('/api/v1/webhooks/{id}', { params: { path: { id } }, body })),
    { changes: ['webhooks'], done, onDone },
  );
}

/** Names the webhook; without a name it is shown by its URL. */
export function NameForm({ webhook, onDone }: { webhook: DetailedWebhook; onDone: () => void }) {
  const [before] = useState(webhook.name ?? '');
  const [name, setName] = useState(before);
  const change = useChange(webhook.id, name === '' ? 'It has no name now.' : 'It is renamed.', onDone);
  const mutate = () => change.mutate({ name: name === '' ? null : name });
  return (
    <ActForm act={{ ...change, mutate }} submit="Save" isReady={name !== before} onCancel={onDone}>
      <NameField value={name} onChange={setName} />
    </ActForm>
  );
}

/** Edits the events that the webhook has when the form is opened. */
export function EventsForm({ webhook, onDone }: { webhook: DetailedWebhook; onDone: () => void }) {
  const [chosen, setChosen] = useState([...webhook.events]);
  const change = useChange(webhook.id, 'The events are changed.', onDone);
  return (
    <ActForm act={{ ...change, mutate: () => change.mutate({ events: chosen }) }} submit="Save">
      <EventChoice value={chosen} onChange={setChosen} />
      <Text size="sm" c="dimmed">
        This holds for events that are raised from now on.
      </Text>
    </ActForm>
  );
}

/** Edits the alerts that the webhook has when the form is opened. */
export function AlertsForm({ webhook, onDone }: { webhook: DetailedWebhook; onDone: () => void }) {
  const [before] = useState(() => fieldsOf(webhook));
  const [fields, setFields] = useState(before);
  const changes = changesOf(settingsOf(before), settingsOf(fields));
  const change = useChange(webhook.id, 'The alerts are changed.', onDone);
  return (
    <ActForm
      act={{ ...change, mutate: () => change.mutate(changes) }}
      submit="Save"
      isReady={Object.keys(changes).length > 0 && !isEmptyFilter(fields.filter)}
    >
      <AlertSettings value={fields} onChange={setFields} isChannel={isChannel(webhook)} />
    </ActForm>
  );
}
