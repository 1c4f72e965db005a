import { useQuery } from '@tanstack/react-query';
import { breakdownQuery } from '../../../data/queries.ts';
import { useIsAdmin } from '../../../data/use-me.ts';
import { exact } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { UserName } from '../../../parts/text/user-name.tsx';
import type { PullRequestDetail } from '../queries.ts';
import { mainTool, shareOfTop } from './words.ts';

/**
 * The sentence about the session that made most of a pull request's cost: "70 % of it came from one session of Tomás: 90 calls of
 * run_tests." Nothing where none did.
 */
export function TopSession({ pull }: { pull: PullRequestDetail }) {
  const { top_session: top } = pull;
  const share = shareOfTop(pull);
  const isAdmin = useIsAdmin();
  const breakdown = useQuery({
    ...breakdownQuery(top?.id ?? '', false),
    enabled: top !== null && share !== null,
    refetchInterval: false,
  });
  if (top === null || share === null) return null;
  const tool = breakdown.data && mainTool(breakdown.data, top.cost_usd);
  return (
    <>
      {' '}
      {share} of it came from{' '}
      <PageLink to={`/sessions/${top.id}`} inherit underline="always">
        one session
      </PageLink>
      {isAdmin && (
        <>
          {' '}
          of <UserName id={top.user_id} />
        </>
      )}
      {tool && (
        <>
          : {exact(tool.calls)} {tool.calls === 1 ? 'call' : 'calls'} of <Name of={tool.tool_name} />
        </>
      )}
      .
    </>
  );
}
