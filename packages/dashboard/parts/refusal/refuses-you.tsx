import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ownVerdictQuery } from '../../data/queries.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { refusesWords } from '../../words/refuses.ts';
import { plainName } from '../text/plain-name.ts';
import { useZone } from '../time/when.tsx';

/** Says that a budget refuses the next call of the person, and how to ask for more. With `of`: only if it is this budget. */
export function RefusesYou({ of }: { of?: string }) {
  const zone = useZone();
  const isAdmin = useIsAdmin();
  const { data } = useQuery({ ...ownVerdictQuery(), enabled: !isAdmin });
  const refusal = data?.refused_by;
  if (!refusal || (of !== undefined && refusal.id !== of)) return null;
  return (
    <Alert color="red" variant="outline" role="status">
      <bdi>{plainName(refusesWords(refusal, zone))}</bdi>.
      {of === undefined && (
        <>
          {' '}
          <Anchor component={Link} to="/raise" search={{ budget: refusal.id } as never}>
            Ask for more
          </Anchor>
        </>
      )}
    </Alert>
  );
}
