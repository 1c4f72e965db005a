import { NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { amount } from '../text/format.ts';
import { State } from '../text/state.tsx';
import { When } from '../text/when.tsx';
import type { Budget } from './bar.tsx';

type Rule = Pick<Budget, 'enforce' | 'on_error'>;

const ENFORCE: Record<Budget['enforce'], { label: string; words: string }> = {
  none: { label: 'Warns only', words: 'It warns at 80 % and at 100 %, and refuses nothing.' },
  soft: {
    label: 'Soft limit',
    words: 'It refuses nothing. A tool that checks before a call sees what is left, and may warn.',
  },
  hard: {
    label: 'Hard limit',
    words: 'A tool that checks or reserves before a call is refused beyond the threshold.',
  },
};

const ON_ERROR: Record<Budget['on_error'], { label: string; words: string }> = {
  allow: { label: 'Let calls pass', words: 'While usage cannot be read, checks say yes: work goes on.' },
  deny: { label: 'Refuse calls', words: 'While usage cannot be read, checks say no: work waits.' },
};

/** What happens at the threshold, and what while nobody knows how far it is. */
export function EnforcementInputs({
  rule,
  onChange,
}: {
  rule: Rule;
  onChange: (change: Partial<Rule>) => void;
}) {
  const { enforce, on_error } = rule;
  return (
    <SimpleGrid cols={{ base: 1, xs: enforce === 'hard' ? 2 : 1 }}>
      <NativeSelect
        label="At the threshold"
        description={ENFORCE[enforce].words}
        inputWrapperOrder={['label', 'input', 'description']}
        value={enforce}
        onChange={(event) => onChange({ enforce: event.currentTarget.value as Budget['enforce'] })}
        data={optionsOf(ENFORCE)}
      />
      {enforce === 'hard' && (
        <NativeSelect
          label="During an outage"
          description={ON_ERROR[on_error].words}
          inputWrapperOrder={['label', 'input', 'description']}
          value={on_error}
          onChange={(event) => onChange({ on_error: event.currentTarget.value as Budget['on_error'] })}
          data={optionsOf(ON_ERROR)}
        />
      )}
    </SimpleGrid>
  );
}

function optionsOf(words: Record<string, { label: string }>) {
  return Object.entries(words).map(([value, { label }]) => ({ value, label }));
}

/** What a budget does at its threshold, or does already. */
export function Stop({ budget }: { budget: Budget }) {
  const { enforce, metric, current, threshold, window_end } = budget;
  if (enforce !== 'hard') return <Text size="sm">{ENFORCE[enforce].label}: refuses nothing</Text>;
  if (current < threshold) return <Text size="sm">Stops checked calls at {amount(metric, threshold)}</Text>;
  return (
    <Text size="sm" component="div">
      <State of="exceeded">Stopped</State>: checked calls are refused until <When at={window_end} />
    </Text>
  );
}
