import { Alert, Anchor, Stack, Text } from '@mantine/core';
import type { Code } from './queries.ts';
import { FAILURES } from './words.ts';

/** A failure in a person's words, with the next step; `title` says what failed. */
export function FailureNote({
  code,
  title,
  children,
}: {
  code: Code;
  title: string;
  children?: React.ReactNode;
}) {
  const { cause, step } = FAILURES[code];
  return (
    <Alert role="alert" variant="outline" color="red" title={title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {cause} {step}
          {code === 'access_denied' && (
            <>
              {' '}
              <Anchor href="/guide/push#the-bucket" target="_blank" inherit>
                The rights that it needs
              </Anchor>
            </>
          )}
        </Text>
        {children}
      </Stack>
    </Alert>
  );
}
