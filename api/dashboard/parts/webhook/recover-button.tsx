import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { ActButton } from '../form/act-button.tsx';
import { Dialog } from '../form/dialog.tsx';
import { exact } from '../text/format.ts';

const HOUR_MS = 3_600_000;
const SINCE = [
  { value: String(24 * HOUR_MS), label: 'the last 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'the last 7 days' },
  { value: String(30 * 24 * HOUR_MS - HOUR_MS), label: 'the last 30 days' },
];

/** Sends again what a webhook has given up since a time. */
export function RecoverButton({ id }: { id: string }) {
  return (
    <Dialog label="Recover" title="Send again what was given up">
      {() => <Recovery id={id} />}
    </Dialog>
  );
}

function Recovery({ id }: { id: string }) {
  const [back, setBack] = useState(SINCE[0]?.value ?? '');
  const recover = useAct(
    () => {
      const since = new Date(Date.now() - Number(back)).toISOString();
      return take(api.POST('/api/v1/webhooks/{id}/recover', { params: { path: { id } }, body: { since } }));
    },
    { changes: ['webhooks'] },
  );
  return (
    <Stack>
      <NativeSelect
        label="Given up in"
        value={back}
        onChange={(event) => setBack(event.currentTarget.value)}
        data={SINCE}
      />
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
