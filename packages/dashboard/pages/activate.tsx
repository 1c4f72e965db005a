import { Alert, Anchor, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import { useAct } from '../data/use-act.ts';
import { Page } from '../parts/page/page.tsx';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { Name } from '../parts/text/name.tsx';
import { When } from '../parts/time/when.tsx';

/** A device asks to be linked: look at it first, then approve or deny. A link alone approves nothing. */
export function Activate() {
  const { user_code: given = '' } = useSearch({ strict: false }) as { user_code?: string };
  const [code, setCode] = useState(given);
  const lookUp = useAct(
    (user_code: string) => take(api.POST('/v1/device_authorization/lookup', { body: { user_code } })),
    { changes: [] },
  );
  return (
    <Page title="Activate" lead="Link a device to your account. It will spend your credits.">
      <Paper withBorder p="md" maw={560}>
        {lookUp.data ? (
          <Decision code={code} device={lookUp.data} onAgain={lookUp.reset} />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              lookUp.mutate(code);
            }}
          >
            <Stack>
              <TextInput
                label="The code that the device shows"
                placeholder="BCDF-GHJK"
                required
                maxLength={64}
                autoComplete="off"
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
                styles={{ input: { fontFamily: 'monospace', letterSpacing: 2, textTransform: 'uppercase' } }}
              />
              <ProblemNote error={lookUp.error} />
              <div>
                <Button type="submit" loading={lookUp.isPending}>
                  Continue
                </Button>
              </div>
            </Stack>
          </form>
        )}
      </Paper>
    </Page>
  );
}

function Decision({
  code,
  device: { name, created_at },
  onAgain,
}: {
  code: string;
  device: { name: string | null; created_at: number };
  onAgain: () => void;
}) {
  const body = { user_code: code };
  const approve = useAct(() => take(api.POST('/v1/device_authorization/approve', { body })), {
    changes: ['devices'],
  });
  const deny = useAct(() => take(api.POST('/v1/device_authorization/deny', { body })), { changes: [] });
  if (approve.isSuccess)
    return (
      <Alert color="green" variant="outline" title="Approved" role="status">
        The device is linked with its next question, within seconds. See your{' '}
        <Anchor component={Link} to="/devices">
          devices
        </Anchor>
        .
      </Alert>
    );
  if (deny.isSuccess)
    return (
      <Alert color="gray" variant="outline" title="Denied" role="status">
        The device gets nothing.
      </Alert>
    );
  return (
    <Stack>
      <Title order={2}>Is this your device?</Title>
      <Text className="wrap">
        It calls itself{' '}
        <b>
          <Name of={name ?? 'nothing'} />
        </b>{' '}
        and asked <When at={created_at} relative />.
      </Text>
      <Alert variant="outline" color="orange">
        Approve only a device that is in front of you and shows the code {code.toUpperCase()}. Whoever sent
        you this code could spend your credits.
      </Alert>
      <ProblemNote error={approve.error ?? deny.error} />
      <Group>
        <Button onClick={() => approve.mutate(undefined)} loading={approve.isPending}>
          Approve
        </Button>
        <Button variant="default" onClick={() => deny.mutate(undefined)} loading={deny.isPending}>
          Deny
        </Button>
        <Button variant="subtle" onClick={onAgain}>
          Another code
        </Button>
      </Group>
    </Stack>
  );
}
