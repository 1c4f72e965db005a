import { Alert, Anchor, Button, Code, Stack, Text, Title } from '@mantine/core';
import { IconAlertOctagon } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import type { SignInProblem } from '../../../shared/identity/me.ts';
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

const PROBLEMS: Record<string, string> = {
  invalid_grant: 'The sign-in could not be confirmed, or took longer than ten minutes. Sign in again.',
  issuer_unavailable: 'The identity provider does not answer. Try again in a minute.',
  not_ready: 'Signing in is not set up here. Ask whoever operates this service.',
  store_unavailable: 'A store does not answer. Try again in a minute.',
  too_many_requests: 'Too many attempts. Try again in a minute.',
};

/** After signing out, and after a sign-in that failed. */
export function SignedOut() {
  const { problem, request_id } = useSearch({ strict: false }) as { problem?: string; request_id?: string };
  return (
    <Plain>
      <Stack>
        <Title order={1}>{problem ? 'Signing in failed' : 'You are signed out'}</Title>
        {problem && <Text>{PROBLEMS[problem] ?? 'Something failed on our side. Try again.'}</Text>}
        {problem && (
          <Text c="dimmed">
            <Code>{problem}</Code> request <Code>{request_id ?? 'unknown'}</Code>
          </Text>
        )}
        <Button component="a" href="/dashboard/login">
          Sign in
        </Button>
      </Stack>
    </Plain>
  );
}
