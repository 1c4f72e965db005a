import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsBy } from '../../data/groups.ts';
import { WORK_DIMENSIONS, type WorkDimension } from '../../data/range.ts';
import { workValues } from '../../data/usage-questions.ts';
import { useChangeSearch, useFilters, useRange } from '../../data/use-range.ts';
import { SuggestedText } from '../form/suggestions.tsx';
import { PageLink } from '../text/page-link.tsx';

const LABELS: Record<WorkDimension, string> = {
  repository: 'Repository',
  branch: 'Branch',
  pull_request: 'Pull request',
  task: 'Task',
};

/** The filters by what calls were made for, with the most expensive values of the range as suggestions. */
export function WorkFilters({ onDone }: { onDone: () => void }) {
  const change = useChangeSearch();
  const chosen = useFilters();
  const [draft, setDraft] = useState<Partial<Record<WorkDimension, string>>>({});
  const found = useQuery({ ...workValues(useRange()), staleTime: 60_000 });
  const valuesOf = (name: WorkDimension) =>
    found.data ? groupsBy(found.data, name).flatMap(({ value }) => value ?? []) : [];
  const hasNone = found.data !== undefined && WORK_DIMENSIONS.every((name) => valuesOf(name).length === 0);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const entries = Object.entries(draft).map(([name, value]) => [name, value.trim() || undefined]);
        change(Object.fromEntries(entries));
        onDone();
      }}
    >
      <Stack gap="sm" w={260}>
        {hasNone && (
          <Text size="sm">
            No call of this range names a branch.{' '}
            <PageLink to="/connect" hash="branches">
              Report branches
            </PageLink>
          </Text>
        )}
        {WORK_DIMENSIONS.map((name) => (
          <SuggestedText
            key={name}
            label={LABELS[name]}
            value={draft[name] ?? chosen[name] ?? ''}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
            suggestions={valuesOf(name).map((value) => ({ value }))}
          />
        ))}
        <Button type="submit" variant="default">
          Show these
        </Button>
      </Stack>
    </form>
  );
}
