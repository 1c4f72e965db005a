import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { Section } from '../../parts/page/section.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { type Steps, useSteps } from './use-steps.ts';

interface Step {
  to: string;
  search?: object;
  label: string;
  why: string;
}

const STEPS: Readonly<Record<keyof Steps, Step>> = {
  connect: { to: '/connect', label: 'Connect a tool', why: 'its first call fills this page' },
  invite: {
    to: '/settings',
    search: { tab: 'members' },
    label: 'Invite people',
    why: 'each sees their own usage',
  },
  budget: { to: '/budgets', label: 'Create a budget', why: 'it warns before money is gone' },
  alert: {
    to: '/alerts',
    label: 'Choose where alerts go',
    why: 'a chat, a mailbox, or a digest to yourself',
  },
};

/** The steps in their order, each with a link to where it is taken. Nothing once all are taken. */
export function Checklist({ onDismiss }: { onDismiss: () => void }) {
  const steps = useSteps();
  if (!steps) return null;
  const names = Object.keys(STEPS) as (keyof Steps)[];
  const done = names.filter((name) => steps[name]).length;
  return (
    <Section
      title="First steps"
      aside={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {done} of {names.length} done
          </Text>
          <Button size="compact-sm" variant="default" onClick={onDismiss}>
            Dismiss
          </Button>
        </Group>
      }
    >
      <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
        {names.map((name) => (
          <Line key={name} name={name} isDone={steps[name]} />
        ))}
      </Stack>
    </Section>
  );
}

function Line({ name, isDone }: { name: keyof Steps; isDone: boolean }) {
  const { to, search, label, why } = STEPS[name];
  const Icon = isDone ? IconCircleCheck : IconCircleDashed;
  return (
    <Group component="li" gap="xs" wrap="nowrap" data-step={name} data-done={isDone}>
      <Icon
        size={18}
        color={isDone ? 'var(--good)' : 'var(--mantine-color-dimmed)'}
        style={{ flex: 'none' }}
        aria-hidden
      />
      <Text size="sm" component="span">
        <PageLink to={to} search={search}>
          {label}
        </PageLink>
        <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
        <Text span size="sm" c="dimmed">
          {' '}
          · {why}
        </Text>
      </Text>
    </Group>
  );
}
