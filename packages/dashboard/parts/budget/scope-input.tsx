import { useQuery } from '@tanstack/react-query';
import type { Budget } from '../../data/queries.ts';
import { organizationQuery, usageQuery } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { useMe } from '../../data/use-me.ts';
import type { Field } from '../form/fields.tsx';
import { SuggestedText } from '../form/suggestions.tsx';
import { useMemberChoice } from '../text/user-name.tsx';

const LABELS = { team: 'Team', project: 'Project', user: 'User' } as const;
const SUGGESTED_DAYS = 30;

/** The team, project or user of a budget: known ones are suggested, any other may be typed. */
export function ScopeInput({ scope, ...field }: { scope: Exclude<Budget['scope'], 'org'> } & Field<string>) {
  const suggestions = useSuggestions(scope);
  const known = suggestions.find(({ value }) => value === field.value);
  const name = known?.label === known?.value ? undefined : known?.label;
  return (
    <SuggestedText
      label={LABELS[scope]}
      description={name}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required
      maxLength={256}
      suggestions={suggestions}
      {...field}
    />
  );
}

function useSuggestions(scope: Exclude<Budget['scope'], 'org'>): { value: string; label?: string }[] {
  const { timezone } = useMe().org;
  const organization = useQuery({ ...organizationQuery(), enabled: scope === 'team' });
  const members = useMemberChoice(scope === 'user');
  const from = plusDays(dateIn(timezone, Date.now()), 1 - SUGGESTED_DAYS);
  const projects = useQuery({
    ...usageQuery({ from, group_by: 'project_id' }),
    enabled: scope === 'project',
  });
  if (scope === 'team') return (organization.data?.teams ?? []).map((value) => ({ value }));
  if (scope === 'user') return Object.entries(members ?? {}).map(([value, label]) => ({ value, label }));
  return (projects.data?.groups ?? [])
    .toSorted((a, b) => b.cost_usd - a.cost_usd)
    .flatMap(({ key }) => (key?.project_id ? [{ value: key.project_id }] : []));
}
