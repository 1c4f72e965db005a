import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { Plain } from './plain.tsx';

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
