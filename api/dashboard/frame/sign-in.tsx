import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { Plain } from './plain.tsx';

/** Where a sign-in returns to: this page, as it is. */
export function signInUrl(): string {
  const here = window.location.pathname + window.location.search;
  return `/dashboard/login?${new URLSearchParams({ return_to: here })}`;
}

export function SignIn() {
  return (
    <Plain>
      <Stack>
        <Title order={1}>usage-governor</Title>
        <Text>
          What your AI tools did and cost: sessions, budgets, anomalies, webhooks, credits and devices.
        </Text>
        <Button component="a" href={signInUrl()} size="md">
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
