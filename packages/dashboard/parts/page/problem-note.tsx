import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconLock } from '@tabler/icons-react';
import { Problem } from '../../data/client.ts';
import { duration } from '../../words/time.ts';

/** An error as a person can use it: what is wrong, its code, and the request id to copy. Nothing without an error. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (!error) return null;
  const problem = error instanceof Problem ? error : null;
  const isForbidden = problem?.code === 'missing_scope';
  const waitS = problem?.extra.retry_after_s;
  return (
    <Alert
      role="alert"
      color={isForbidden ? 'gray' : 'red'}
      variant="outline"
      icon={isForbidden ? <IconLock aria-hidden /> : <IconAlertCircle aria-hidden />}
      title={isForbidden ? 'You may not see this' : titleOf(problem)}
    >
      <Stack gap="sm">
        <Text className="wrap">{error instanceof Error ? error.message : 'Something failed here.'}</Text>
        {isForbidden && <Text>Admins of your organization may. Ask one of them.</Text>}
        {typeof waitS === 'number' && <Text>Try again in {duration(waitS)}.</Text>}
        <FieldErrors problem={problem} />
        <Group gap="sm">
          <Code>{problem?.code ?? 'internal'}</Code>
          {problem?.requestId ? <RequestId id={problem.requestId} /> : null}
          {onRetry && mayHelp(problem) && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function FieldErrors({ problem }: { problem: Problem | null }) {
  const errors = problem?.extra.errors;
  if (!Array.isArray(errors)) return null;
  const lines = (errors as { pointer?: string; parameter?: string; detail: string }[])
    // Omits details that are part of the problem's own message.
    .filter(({ detail }) => problem?.message.includes(detail) !== true)
    .map(({ pointer, parameter, detail }) => `${(pointer ?? parameter ?? '').replace(/^\//, '')} ${detail}`);
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function RequestId({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy}>
          {copied ? 'Copied' : `Copy request id ${id.slice(0, 8)}…`}
        </Button>
      )}
    </CopyButton>
  );
}

/** True unless the same question has the same answer again. */
function mayHelp(problem: Problem | null): boolean {
  return ![400, 403, 404].includes(problem?.status ?? 0);
}

function titleOf(problem: Problem | null): string {
  const title = problem?.extra.title;
  return typeof title === 'string' ? title : 'Something failed here';
}
