import { Button, CloseButton, Group, NativeSelect, Pill, Popover, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { FILTERS, type FilterName, RANGE_LABELS, RANGES } from '../../data/range.ts';
import { useChangeSearch, useFilters, useRange } from '../../data/use-range.ts';
import { withoutHost } from '../../words/work.ts';
import { InLink } from '../text/in-link.ts';
import { Name } from '../text/name.tsx';
import { UserName } from '../text/user-name.tsx';

const NAMES: Record<FilterName, string> = {
  user_id: 'User',
  project_id: 'Project',
  model: 'Model',
  adapter: 'Tool',
  team: 'Team',
  repository: 'Repository',
  branch: 'Branch',
  pull_request: 'Pull request',
  task: 'Task',
};

/** The range and the filters, which stand in the URL. `by` are the filters that the page obeys: only these are shown. */
export function RangeBar({
  by = FILTERS,
  children,
}: {
  by?: readonly FilterName[];
  children?: React.ReactNode;
}) {
  const range = useRange();
  const filters = useFilters();
  const change = useChangeSearch();
  const named = RANGES.filter((name) => name !== 'custom');
  return (
    <Group gap="sm">
      <NativeSelect
        aria-label="Range"
        value={range.name}
        onChange={(event) => change({ range: event.currentTarget.value, from: undefined, to: undefined })}
        data={[
          ...named.map((value) => ({ value, label: RANGE_LABELS[value] })),
          ...(range.name === 'custom' ? [{ value: 'custom', label: range.label }] : []),
        ]}
      />
      <CustomRange />
      {children}
      {by.map((name) =>
        filters[name] ? (
          <FilterPill key={name} name={name} label={NAMES[name]}>
            {NAMES[name]}:{' '}
            <InLink value={true}>
              {name === 'user_id' ? (
                <UserName id={filters[name]} />
              ) : (
                <Name of={name === 'repository' ? withoutHost(filters[name]) : filters[name]} />
              )}
            </InLink>
          </FilterPill>
        ) : null,
      )}
    </Group>
  );
}

/** A filter that is chosen, with a button that takes it away. */
export function FilterPill({
  name,
  label,
  children,
}: {
  name: string;
  label: string;
  children: React.ReactNode;
}) {
  const change = useChangeSearch();
  return (
    <Pill size="md" maw={280}>
      <Group gap={4} wrap="nowrap">
        <span className="clip">{children}</span>
        <CloseButton
          size="xs"
          aria-label={`Remove the filter ${label}`}
          onClick={() => change({ [name]: undefined })}
        />
      </Group>
    </Pill>
  );
}

/** Loaded when it is first opened: most people never choose dates. */
const DateChoice = lazy(async () => ({ default: (await import('./date-choice.tsx')).DateChoice }));

function CustomRange() {
  const change = useChangeSearch();
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <Popover opened={opened} onChange={close} trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" onClick={toggle}>
          Dates …
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<Skeleton width={260} height={300} />}>
          <DateChoice
            onChoose={(from, to) => {
              change({ range: 'custom', from, to });
              close();
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
