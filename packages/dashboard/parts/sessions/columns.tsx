import { duration } from '../../words/time.ts';
import type { Column } from '../page/rows.tsx';
import { FilterLink } from '../text/filter-link.tsx';
import { costWords, exact } from '../text/format.ts';
import { PageLink } from '../text/page-link.tsx';
import { State } from '../text/state.tsx';
import { UserName } from '../text/user-name.tsx';
import { Count } from '../text/values.tsx';
import { When } from '../time/when.tsx';
import { Marks, type Session } from './marks.tsx';

/** The column that leads to the session: it is always there. */
export const FIRST_COLUMN = 'Started';
/** Columns that are not shown until somebody chooses them: a laptop's screen has no room for all. */
export const HIDDEN_AT_FIRST: readonly string[] = ['Length', 'Calls', 'Policy decisions'];

interface Shown {
  meanUsd: number | undefined;
  /** On a narrow screen the marks have a place of their own in the first line. */
  isNarrow: boolean;
}

const END_WORDS = { timeout: 'ended', closed: 'closed by hand' } as const;

/** All columns of a list of sessions. `meanUsd` is the mean cost of a session of the range, where it is known. */
export function sessionColumns({ meanUsd, isNarrow }: Shown): readonly Column<Session>[] {
  const marks = (session: Session) => (
    <span className="marks">
      <Marks session={session} meanUsd={meanUsd} />
    </span>
  );
  return [
    {
      label: FIRST_COLUMN,
      isShort: true,
      narrow: 'first',
      sort: 'started_at',
      render: (session) => (
        <>
          <PageLink to={`/sessions/${session.id}`}>
            <When at={session.started_at} />
          </PageLink>
          {!isNarrow && marks(session)}
        </>
      ),
    },
    { label: 'User', share: 12, render: ({ user_id }) => <UserName id={user_id} /> },
    {
      label: 'Project',
      share: 9,
      render: ({ project_id }) => <FilterLink by="project_id" of={project_id} />,
    },
    ...(isNarrow ? [{ label: 'Marks', isShort: true, narrow: 'first' as const, render: marks }] : []),
    {
      label: 'Tool',
      narrow: 'hidden',
      isFitting: true,
      render: ({ adapter }) => <FilterLink by="adapter" of={adapter} />,
    },
    {
      label: 'Model',
      narrow: 'third',
      isNameless: true,
      isFitting: true,
      render: ({ model, models }) => (
        <FilterLink
          by="model"
          of={model}
          label={models.length > 1 ? `${model} and ${models.length - 1} more` : model}
        />
      ),
    },
    {
      label: 'Length',
      isNumber: true,
      narrow: 'hidden',
      sort: 'duration_s',
      render: ({ duration_s }) => duration(duration_s),
    },
    {
      label: 'Calls',
      isNumber: true,
      narrow: 'hidden',
      sort: 'signal_count',
      render: ({ signal_count }) => exact(signal_count),
    },
    {
      label: 'Errors',
      isNumber: true,
      narrow: 'hidden',
      sort: 'error_count',
      render: ({ error_count }) => exact(error_count),
    },
    {
      label: 'Policy decisions',
      isNumber: true,
      narrow: 'hidden',
      sort: 'intervention_count',
      render: ({ intervention_count }) => exact(intervention_count),
    },
    {
      label: 'Tokens in',
      isNumber: true,
      narrow: 'third',
      sort: 'tokens',
      render: ({ tokens_in }) => <Count of={tokens_in} />,
    },
    {
      label: 'Tokens out',
      isNumber: true,
      narrow: 'third',
      render: ({ tokens_out }) => <Count of={tokens_out} />,
    },
    {
      label: 'Cost',
      isNumber: true,
      narrow: 'first',
      sort: 'cost_usd',
      render: costWords,
    },
    {
      label: 'State',
      isShort: true,
      isNameless: true,
      render: ({ state, end_reason }) => (
        <State of={state}>{end_reason === null ? state : END_WORDS[end_reason]}</State>
      ),
    },
  ];
}
