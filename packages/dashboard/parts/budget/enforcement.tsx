import { SimpleGrid, Text } from '@mantine/core';
import type { Budget } from '../../data/queries.ts';
import type { useDraft } from '../form/act-form.tsx';
import { Choice } from '../form/fields.tsx';
import { NumberField } from '../form/number-field.tsx';
import { amount, compact, exact, money } from '../text/format.ts';
import { State } from '../text/state.tsx';
import { When } from '../time/when.tsx';
import { METRICS } from './words.ts';

type Rule = Pick<
  Budget,
  'metric' | 'threshold' | 'enforce' | 'on_error' | 'unpriced' | 'reservation_share_pct'
>;

/** The effects of a budget, by their labels. */
function enforceLabels(rule: Pick<Budget, 'metric' | 'threshold'>): Record<Budget['enforce'], string> {
  return {
    none: 'Only warns',
    soft: 'Warns, and tells tools that check',
    hard: `Refuses calls above ${limitWords(rule)}`,
  };
}

const ENFORCE_WORDS: Record<Budget['enforce'], string> = {
  none: 'It warns at 80 % and at 100 %, and refuses nothing.',
  soft: 'It refuses nothing. A tool that checks before a call sees what is left, and may warn.',
  hard: 'A tool that checks or reserves before a call is refused beyond the threshold.',
};

/** A threshold as people say it: $240, $0.50, 1 call, 1.2M tokens. */
function limitWords({ metric, threshold }: Pick<Budget, 'metric' | 'threshold'>): string {
  if (metric !== 'cost_usd') {
    const units = METRICS[metric].toLowerCase();
    return `${compact(threshold)} ${threshold === 1 ? units.replace(/s\b/, '') : units}`;
  }
  return Number.isInteger(threshold) ? `$${exact(threshold)}` : money(threshold);
}

const ON_ERROR: Record<Budget['on_error'], { label: string; words: string }> = {
  allow: { label: 'Let calls pass', words: 'While usage cannot be read, checks say yes: work goes on.' },
  deny: { label: 'Refuse calls', words: 'While usage cannot be read, checks say no: work waits.' },
};

const UNPRICED: Record<NonNullable<Budget['unpriced']>, { label: string; words: string }> = {
  allow: { label: 'Let them pass', words: 'A call of a model without a price counts as nothing here.' },
  refuse: {
    label: 'Refuse them',
    words: 'A call that names a model without a price is refused until an admin gives it one.',
  },
};

/** True for budgets in which calls reserve amounts: hard ones of cost. */
export function holdsReservations({ enforce, metric }: Pick<Budget, 'enforce' | 'metric'>): boolean {
  return enforce === 'hard' && metric === 'cost_usd';
}

/** The inputs for the rule at the threshold, during an outage, and for one person's share of what is left. */
export function EnforcementInputs({
  draft,
  field,
}: Pick<ReturnType<typeof useDraft<Rule>>, 'draft' | 'field'>) {
  const { enforce, on_error } = draft;
  const below = {
    inputWrapperOrder: ['label', 'input', 'description'] as ('label' | 'input' | 'description')[],
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: enforce === 'hard' ? 2 : 1 }}>
      <Choice
        label="At the threshold"
        description={ENFORCE_WORDS[enforce]}
        of={enforceLabels(draft)}
        {...below}
        {...field('enforce')}
      />
      {enforce === 'hard' && (
        <Choice
          label="During an outage"
          description={ON_ERROR[on_error].words}
          of={labelsOf(ON_ERROR)}
          {...below}
          {...field('on_error')}
        />
      )}
      {holdsReservations(draft) && (
        <Choice
          label="Calls without a price"
          description={UNPRICED[draft.unpriced ?? 'allow'].words}
          of={labelsOf(UNPRICED)}
          {...below}
          {...field('unpriced')}
          value={draft.unpriced ?? 'allow'}
        />
      )}
      {holdsReservations(draft) && (
        <NumberField
          label="Share per person"
          description="The part of what is left that one person may reserve: 1 to 100 %"
          min={1}
          max={100}
          suffix=" %"
          allowDecimal={false}
          {...below}
          {...field('reservation_share_pct')}
        />
      )}
    </SimpleGrid>
  );
}

function labelsOf<Value extends string>(words: Record<Value, { label: string }>): Record<Value, string> {
  const labels = Object.entries<{ label: string }>(words).map(([value, { label }]) => [value, label]);
  return Object.fromEntries(labels);
}

/** The effect of a budget at its threshold, or its present effect when it is reached. */
export function Stop({ budget }: { budget: Budget }) {
  const { enforce, refuses_now, metric, threshold_now, window_end, people, unpriced } = budget;
  if (!refuses_now)
    return (
      <Text size="sm" className="wrap">
        {enforceLabels({ metric, threshold: threshold_now })[enforce]}
        {unpriced === 'refuse' && ', and calls of models without a price'}
      </Text>
    );
  return (
    <Text size="sm" component="div">
      <State of="exceeded">Stopped</State>: calls {people && 'of people beyond it '}are refused{' '}
      {window_end === null ? (
        'from now on'
      ) : (
        <>
          until <When at={window_end} />
        </>
      )}
    </Text>
  );
}

/** A raise that is in force, with its end. */
export function RaisedUntil({ budget: { metric, raised, raised_until } }: { budget: Budget }) {
  if (raised_until === null) return null;
  return (
    <>
      , {amount(metric, raised)} of it raised until <When at={raised_until} />
    </>
  );
}
