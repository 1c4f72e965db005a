import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { ActForm } from '../form/act-form.tsx';
import { ShownOnce } from '../form/copyable.tsx';
import { AlertSettings, NO_ALERTS, settingsOf } from './alert-settings.tsx';
import { EVENT_TYPES, EventChoice, newSecret, VerifySnippet } from './events.tsx';
import { type Format, FormatChoice, urlOf } from './format-choice.tsx';
import { MessagePreview } from './message-preview.tsx';

const KEEP_SECRET =
  'Keep this secret now: it is not shown again. Every delivery is signed with it in the header X-Service-Signature.';

/** Registers a webhook. The secret of an endpoint is made in this browser and shown this once; chats need none. */
export function WebhookCreation({ onDone }: { onDone: () => void }) {
  const [secret] = useState(newSecret);
  const [format, setFormat] = useState<Format>('json');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(EVENT_TYPES);
  const [alerts, setAlerts] = useState(NO_ALERTS);
  const target = { url: urlOf(format, url), format, ...(format === 'json' ? { secret } : {}) };
  const body = { ...target, events, ...settingsOf(alerts) };
  const headers = useIdempotencyKey(body);
  const create = useAct(() => take(api.POST('/api/v1/webhooks', { headers, body })), {
    changes: ['webhooks'],
    done: 'The webhook is created.',
  });
  if (create.isSuccess)
    return format !== 'json' ? (
      <Made onDone={onDone} />
    ) : (
      <ShownOnce words={KEEP_SECRET} label="Secret" value={secret} onDone={onDone}>
        <VerifySnippet />
      </ShownOnce>
    );
  return (
    <ActForm act={create} submit="Create" onCancel={onDone}>
      <FormatChoice format={format} url={url} onFormat={setFormat} onUrl={setUrl} />
      <EventChoice value={events} onChange={setEvents} />
      <AlertSettings value={alerts} onChange={setAlerts} />
      <Divider />
      <MessagePreview format={format} />
    </ActForm>
  );
}

function Made({ onDone }: { onDone: () => void }) {
  return (
    <Stack>
      <Text>The webhook is ready. Open it and send a test.</Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>Close</Button>
      </Group>
    </Stack>
  );
}
