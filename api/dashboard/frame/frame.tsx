import { Center } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Problem, signInProblemOf, visitorOf } from '../data/client.ts';
import { meQuery } from '../data/queries.ts';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { VisitorPage } from './visitor.tsx';
import { Waiting } from './waiting.tsx';

/** The frame of every page: a member sees the page, a visitor why not, everybody else how to sign in. */
export function Frame() {
  const me = useQuery(meQuery());
  if (me.data) return <Shell />;
  if (me.isPending) return <Waiting />;
  const problem = me.error instanceof Problem ? me.error : null;
  const visitor = problem && visitorOf(problem);
  if (visitor) return <VisitorPage visitor={visitor} />;
  if (problem?.status === 401) return <SignIn problem={signInProblemOf(problem)} />;
  return (
    <Center mih="60vh" p="md">
      <ProblemNote error={me.error} onRetry={() => void me.refetch()} />
    </Center>
  );
}
