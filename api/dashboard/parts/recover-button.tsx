import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import { useAct } from '../data/use-act.ts';
import { exact } from './format.ts';
import { ProblemNote } from './problem-note.tsx';

const CHANGES = ['webhooks'] as const;
const HOUR_MS = 3_600_000;
const SINCE = [
  { value: String(24 * HOUR_MS), label: 'the last 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'the last 7 days' },
  { value: String(30 * 24 * HOUR_MS - HOUR_MS), label: 'the last 30 days' },
];

/** Sends again what a webhook has given up since a time. */
export function RecoverButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  const [back, setBack] = useState(SINCE[0]?.value ?? '');
  const recover = useAct(
    () => {
      const since = new Date(Date.now() - Number(back)).toISOString();
      return take(api.POST('/api/v1/webhooks/{id}/recover', { params: { path: { id } }, body: { since } }));
    },
    { changes: CHANGES },
  );
  return (
    <>
      <Button variant="default" onClick={open}>
        Recover
      </Button>
      <Modal opened={isOpen} onClose={close} title="Send again what was given up">
        <Stack>
          <NativeSelect
            label="Given up in"
            value={back}
            onChange={(event) => setBack(event.currentTarget.value)}
            data={SINCE}
          />
          <Text size="sm">
            Deliveries that failed five times are sent again in order, at most 100 per second. While the
            webhook is failing or paused they are held.
          </Text>
          {recover.data && <Text role="status">{exact(recover.data.queued)} are sent again.</Text>}
          <ProblemNote error={recover.error} />
          <Button onClick={() => recover.mutate(undefined)} loading={recover.isPending}>
            Send again
          </Button>
        </Stack>
      </Modal>
    </>
  );
}
