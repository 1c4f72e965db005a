import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { RECOUNTED } from '../../data/usage-questions.ts';
import { useAct } from '../../data/use-act.ts';
import { AlertDialog } from '../form/alert-dialog.tsx';
import { TextField } from '../form/fields.tsx';
import { exact, money } from '../text/format.ts';
import type { Signal } from './words.ts';

const REASON_LENGTH = 200;

/** Takes a wrong signal out of everything that counted it, after a question that asks why. */
export function VoidButton({
  sessionId,
  signal,
  onDone,
}: {
  sessionId: string;
  signal: Signal;
  onDone: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Void
      </Button>
      {isAsking && (
        <Question sessionId={sessionId} signal={signal} onDone={onDone} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

function Question({
  sessionId,
  signal,
  onDone,
  onClose,
}: {
  sessionId: string;
  signal: Signal;
  onDone: () => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const body = { signal_ids: [signal.id], reason: reason.trim() };
  const act = useAct(
    () => take(api.POST('/api/v1/sessions/{id}/void', { params: { path: { id: sessionId } }, body })),
    {
      changes: RECOUNTED,
      done: 'The call is void.',
      onDone,
    },
  );
  const tokens = signal.tokens_in + signal.tokens_out;
  const cost = signal.cost_usd === null ? 'no cost' : money(signal.cost_usd);
  return (
    <AlertDialog
      title="Void this call?"
      yes="Void it"
      no="Keep it"
      act={act}
      isReady={body.reason !== ''}
      onClose={onClose}
    >
      <Stack>
        <Text size="sm">
          Its {exact(tokens)} tokens and {cost} leave the session, usage, budgets and exports. There is no
          undo: to correct it, post the true call under another id.
        </Text>
        <TextField
          label="Reason"
          description="It stays in the audit log."
          required
          maxLength={REASON_LENGTH}
          value={reason}
          onChange={setReason}
          data-mantine-stop-propagation="true"
        />
      </Stack>
    </AlertDialog>
  );
}
