import { Center } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { Problem, signInProblemOf, visitorOf } from '../data/client.ts';
import { meQuery } from '../data/queries.ts';
import { problemOfQuery } from '../data/query-client.ts';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { Loading, Waiting } from './waiting.tsx';

/** Loaded for those who belong to no organization yet. */
const VisitorPage = lazy(async () => ({ default: (await import('./visitor.tsx')).VisitorPage }));

/** The frame of every page: a member sees the page, a visitor why not, everybody else how to sign in. */
export function Frame() {
  const me = useQuery(meQuery());
  if (me.data) return <Shell />;
  const error = problemOfQuery(me);
  if (!error) return <Waiting />;
  const problem = error instanceof Problem ? error : null;
  const visitor = problem && visitorOf(problem);
  if (visitor)
    return (
      <Loading>
        <VisitorPage visitor={visitor} />
      </Loading>
    );
  if (problem?.status === 401) return <SignIn problem={signInProblemOf(problem)} />;
  return (
    <Center mih="60vh" p="md">
      <ProblemNote error={error} onRetry={() => void me.refetch()} />
    </Center>
  );
}
