import { Group, Paper, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActForm, changesOf, useDraft } from '../../parts/form/act-form.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { exact, money } from '../../parts/text/format.ts';

type Limits = AnswerOf<'/v1/organization'>['hold_above'];

/** The limits that a field begins with when it is switched on: those of a new organization. */
const FIRST = { tokens: 20_000_000, cost_usd: 1_000 } as const;

/** The limits above which a call is held: each a number, or off. */
export function HoldLimits() {
  const organization = useQuery({ ...organizationQuery(), refetchOnWindowFocus: false });
  return organization.data ? <LimitsForm limits={organization.data.hold_above} /> : null;
}

function LimitsForm({ limits }: { limits: Limits }) {
  const [before, setBefore] = useState(limits);
  const { draft, set, field } = useDraft(before);
  const changes = changesOf(before, draft);
  const save = useAct(() => take(api.PATCH('/v1/organization', { body: { hold_above: changes } })), {
    changes: ['organization'],
    done: 'The limits are saved.',
    onDone: ({ hold_above }) => {
      setBefore(hold_above);
      set(hold_above);
    },
  });
  return (
    <Paper withBorder p="md" maw={640} mt="md">
      <ActForm act={save} submit="Save limits" isReady={Object.keys(changes).length > 0}>
        <Title order={2}>Implausible calls</Title>
        <Text size="sm">{inWords(draft)}</Text>
        <Limit
          label="Hold a call of more tokens than a limit"
          name="Most tokens of a call"
          first={FIRST.tokens}
          min={1_000}
          max={2_000_000_000}
          {...field('tokens')}
        />
        <Limit
          label="Hold a call that costs more than a limit"
          name="Highest cost of a call"
          prefix="$"
          first={FIRST.cost_usd}
          min={0.01}
          max={1_000_000}
          {...field('cost_usd')}
        />
      </ActForm>
    </Paper>
  );
}

/** The limits as a sentence. Pure. */
function inWords({ tokens, cost_usd }: Limits): string {
  const limits = [
    ...(tokens === null ? [] : [`more than ${exact(tokens)} tokens`]),
    ...(cost_usd === null ? [] : [`a cost above ${money(cost_usd)}`]),
  ];
  if (limits.length === 0) return 'No call is held, however large it is.';
  return `A call with ${limits.join(' or ')} is held: nothing counts it until an admin releases it on the page Sessions.`;
}

function Limit({
  label,
  name,
  prefix = '',
  first,
  min,
  max,
  value,
  onChange,
}: {
  label: string;
  /** The label of the number. */
  name: string;
  prefix?: string;
  first: number;
  min: number;
  max: number;
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  return (
    <Group gap="md" align="end">
      <Switch
        label={label}
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? first : null)}
      />
      {value !== null && (
        <NumberField
          label={name}
          description={`${prefix}${exact(min)} to ${prefix}${exact(max)}`}
          prefix={prefix}
          min={min}
          max={max}
          allowDecimal={prefix !== ''}
          value={value}
          onChange={onChange}
        />
      )}
    </Group>
  );
}
