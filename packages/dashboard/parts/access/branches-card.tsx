import { Anchor, Text } from '@mantine/core';
import { useChoice } from '../../data/use-range.ts';
import { Copyable } from '../form/copyable.tsx';
import { optionsOf, SearchSelect } from '../form/search-select.tsx';
import { Section } from '../page/section.tsx';
import { BRANCH_PLACES, BRANCH_WAYS, branchSettings } from './branches.ts';

/** The settings by which each call finds its repository, branch and pull request. */
export function BranchesCard({ apiKey }: { apiKey: string | null }) {
  const way = useChoice('branches', BRANCH_WAYS) ?? 'claude-code';
  const usesCommand = way !== 'otel';
  return (
    // Links lead here: the heading stays below the header of the frame.
    <div id="branches" style={{ scrollMarginTop: 68 }}>
      <Section title="Branches">
        <Text size="sm" c="dimmed">
          {usesCommand
            ? 'The command governor context asks git what is checked out, and reports its repository and branch. Then each branch, task and pull request has its cost. It sends no path, no code and no prompt.'
            : 'Each branch, task and pull request has its cost once the calls say where they were made.'}
        </Text>
        <SearchSelect
          name="branches"
          label="Reported by"
          maw={440}
          value={way}
          data={optionsOf(BRANCH_WAYS)}
        />
        {usesCommand && (
          <>
            <Text size="sm">
              The command is installed{' '}
              <Anchor href="/guide/attribution#tell-it" inherit>
                as the guide says
              </Anchor>
              , and finds the service by these
              {apiKey === null ? ', with the key of step 1 in place of API_KEY' : ''}:
            </Text>
            <Copyable
              label="Environment of the command"
              value={`export GOVERNOR_API=${window.location.origin}\nexport GOVERNOR_API_KEY=${apiKey ?? 'API_KEY'}`}
            />
          </>
        )}
        <Text size="sm">{BRANCH_PLACES[way]}</Text>
        <Copyable label="Settings for branches" value={branchSettings(way)} />
        {usesCommand && (
          <Text size="sm" c="dimmed">
            Work on a task is named by hand: <code>governor context --task SHOP-412</code>, and ended by{' '}
            <code>governor context --no-task</code>.
          </Text>
        )}
      </Section>
    </div>
  );
}
