import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { IconAlertOctagon } from '@tabler/icons-react';
import type { SignInProblem } from '../../../shared/core/accounts/identity/me.ts';
import { Plain } from './plain.tsx';

/** The address of a sign-in that returns to this page. */
export function signInUrl(): string {
  const here = window.location.pathname + window.location.search;
  return `/dashboard/login?${new URLSearchParams({ return_to: here })}`;
}

/** The page of somebody who is not signed in. It says beforehand when signing in would fail. */
export function SignIn({ problem }: { problem: SignInProblem | null }) {
  return (
    <Plain>
      <Stack>
        <Title order={1}>usage-governor</Title>
        <Text>
          What your AI tools did and cost: sessions, budgets, anomalies, webhooks, credits and devices.
        </Text>
        {problem && (
          <Alert
            color="red"
            variant="outline"
            role="alert"
            icon={<IconAlertOctagon aria-hidden />}
            title="Nobody can sign in now"
          >
            {problem.detail}
            {problem.contact ? ` Ask ${problem.contact}.` : ' Ask the people who operate this service.'}
          </Alert>
        )}
        <Button component="a" href={signInUrl()} size="md" variant={problem ? 'default' : 'filled'}>
          Sign in
        </Button>
        <Text c="dimmed" size="sm">
          Your organization’s identity provider asks who you are. The <Anchor href="/docs">API</Anchor> is
          documented without signing in.
        </Text>
      </Stack>
    </Plain>
  );
}
