import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { ActButton } from '../form/act-button.tsx';
import { Dialog } from '../form/dialog.tsx';
import { Choice } from '../form/fields.tsx';
import { exact } from '../text/format.ts';

const HOUR_MS = 3_600_000;
/** The hours that are looked back, by their names. */
const SINCE = { 24: 'the last 24 hours', 168: 'the last 7 days', 719: 'the last 30 days' };

/** Sends the deliveries again that a webhook has given up since a time. */
export function RecoverButton({ id }: { id: string }) {
  return (
    <Dialog label="Recover" title="Send again what was given up">
      {() => <Recovery id={id} />}
    </Dialog>
  );
}

function Recovery({ id }: { id: string }) {
  const [hours, setHours] = useState('24');
  const recover = useAct(
    () => {
      const since = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
      return take(api.POST('/api/v1/webhooks/{id}/recover', { params: { path: { id } }, body: { since } }));
    },
    { changes: ['webhooks'] },
  );
  return (
    <Stack>
      <Choice label="Given up in" of={SINCE} value={hours} onChange={setHours} />
      <Text size="sm">
        Deliveries that failed five times are sent again in order, at most 100 per second. While the webhook
        is failing or paused they are held.
      </Text>
      {recover.data && <Text role="status">{exact(recover.data.queued)} are sent again.</Text>}
      <ActButton act={recover} variant="filled">
        Send again
      </ActButton>
    </Stack>
  );
}
