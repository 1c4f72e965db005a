import { Button, Center, Stack, Text } from '@mantine/core';
import { Problem } from '../data/client.ts';
import { ProblemNote } from '../parts/page/problem-note.tsx';

/** For a page that could not be shown: its file is gone once the dashboard was built anew, and a reload brings the new one. */
export function Reload({ error }: { error: unknown }) {
  return (
    <Center mih="60vh" p="md">
      <Stack role="alert" maw={480}>
        {error instanceof Problem ? (
          <ProblemNote error={error} />
        ) : (
          <Text>
            This page could not be shown. Perhaps there is a new version of the dashboard, or the service does
            not answer.
          </Text>
        )}
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </Stack>
    </Center>
  );
}
