import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../../../data/use-act.ts';
import { ActButton } from '../../../parts/form/act-button.tsx';
import { ActForm, changesOf, useDraft } from '../../../parts/form/act-form.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { TextField } from '../../../parts/form/fields.tsx';
import { PagedRows, usePages } from '../../../parts/page/pager.tsx';
import type { Column } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { Name } from '../../../parts/text/name.tsx';
import { plainName } from '../../../parts/text/plain-name.ts';
import { When } from '../../../parts/time/when.tsx';
import { changeRule, deleteRule, type PriceRule, RULES, rulesQuery } from '../queries.ts';
import { RuleForm } from './rule-form.tsx';
import { effectWords, lastDaysWords, matchWords } from './words.ts';

/** Each rule is counted for itself. */
const PAGE = 20;

/** The price rules of the organization. */
export function Rules() {
  const pages = usePages('price-rules', (cursor) => rulesQuery({ limit: PAGE, ...cursor }));
  return (
    <Section
      title="Price rules"
      aside={
        <Dialog
          name="price-rule"
          label="New rule"
          variant="filled"
          title="New price rule"
          size="lg"
          closeOnClickOutside={false}
        >
          {(close) => <RuleForm onDone={close} />}
        </Dialog>
      }
    >
      <Text size="sm" c="dimmed">
        A rule gives calls a price of yours in place of the list price. Of several that match a call, the one
        with more fields wins.
      </Text>
      <PagedRows
        pages={pages}
        label="Price rules"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<Text>No rule yet: every call has the price that its tool reports, or the list price.</Text>}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<PriceRule>[] = [
  { label: 'Name', isHeading: true, narrow: 'first', render: ({ name }) => <Name of={name} /> },
  { label: 'Calls', narrow: 'first', render: ({ match }) => <Name of={matchWords(match)} /> },
  { label: 'Price', isNameless: true, render: (rule) => <Name of={effectWords(rule)} /> },
  {
    label: 'Holds',
    isShort: true,
    isNameless: true,
    narrow: 'third',
    render: ({ from, to }) => (
      <>
        <When at={from} /> – {to === null ? 'for ever' : <When at={to} />}
      </>
    ),
  },
  {
    label: 'Last 30 days',
    narrow: 'third',
    isNameless: true,
    render: ({ last_30_days }) => <Name of={lastDaysWords(last_30_days)} />,
  },
  { label: '', render: (rule) => <Actions rule={rule} /> },
];

function Actions({ rule }: { rule: PriceRule }) {
  const shown = plainName(rule.name);
  const remove = useAct(() => deleteRule(rule.id), { changes: RULES, done: 'The rule is deleted.' });
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Dialog
        label="Edit"
        button={{ size: 'compact-sm', 'aria-label': `Edit ${shown}` }}
        title="Edit the price rule"
      >
        {(close) => <ChangeForm rule={rule} onDone={close} />}
      </Dialog>
      <ActButton
        act={remove}
        question={{
          title: `Delete the rule ${shown}?`,
          text: 'Calls that are recorded from now on do without it. The calls that it priced keep their cost and its name.',
          yes: 'Delete',
        }}
        size="compact-sm"
        aria-label={`Delete ${shown}`}
      >
        Delete
      </ActButton>
    </Group>
  );
}

/** Renames a rule, or sets its end. The rest of a rule stays: for another price, it ends and another one begins. */
function ChangeForm({ rule, onDone }: { rule: PriceRule; onDone: () => void }) {
  const [before] = useState({ name: rule.name, to: rule.to?.slice(0, 10) ?? '' });
  const { draft, field } = useDraft(before);
  const { name, to } = changesOf(before, draft);
  const body = {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(to === undefined ? {} : { to: to === '' ? null : to }),
  };
  const options = { changes: RULES, done: 'The rule is changed.', onDone };
  const save = useAct(() => changeRule(rule.id, body), options);
  const end = useAct(() => changeRule(rule.id, { to: new Date().toISOString() }), {
    ...options,
    done: 'The rule ends now.',
  });
  const nowMs = Date.now();
  const isOn = Date.parse(rule.from) < nowMs && (rule.to === null || Date.parse(rule.to) > nowMs);
  return (
    <ActForm
      act={save}
      submit="Save"
      onCancel={onDone}
      isReady={Object.keys(body).length > 0}
      aside={isOn && <EndNow act={end} />}
    >
      <TextField label="Name" required maxLength={200} data-autofocus {...field('name')} />
      <TextField
        label="Until (UTC)"
        type="date"
        min={rule.from.slice(0, 10)}
        description="This day not included. Left empty: for ever"
        {...field('to')}
      />
      <Text size="sm" c="dimmed">
        For another price, end this rule and make one that begins then. Calls that were recorded before keep
        the cost that they have.
      </Text>
    </ActForm>
  );
}

function EndNow({ act }: { act: React.ComponentProps<typeof ActButton>['act'] }) {
  return <ActButton act={act}>End now</ActButton>;
}
