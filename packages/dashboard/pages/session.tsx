import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, take } from '../data/client.ts';
import { breakdownQuery, type SessionAnswer, sessionQuery } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { ChartCard } from '../parts/chart/card.tsx';
import { ActButton } from '../parts/form/act-button.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { Section } from '../parts/page/section.tsx';
import { BreakdownTables } from '../parts/session/breakdown.tsx';
import { costChart } from '../parts/session/cost-chart.ts';
import { Timeline } from '../parts/session/timeline.tsx';
import { type Signal, type Work, whereItWent } from '../parts/session/words.ts';
import { WorksBar } from '../parts/session/works.tsx';
import { Facts } from '../parts/text/facts.tsx';
import { Several } from '../parts/text/filter-link.tsx';
import { costWords, exact } from '../parts/text/format.ts';
import { Name } from '../parts/text/name.tsx';
import { PageLink } from '../parts/text/page-link.tsx';
import { plainName } from '../parts/text/plain-name.ts';
import { State } from '../parts/text/state.tsx';
import { UserName } from '../parts/text/user-name.tsx';
import { Count } from '../parts/text/values.tsx';
import { useZone, When } from '../parts/time/when.tsx';
import { CALL_ACTIONS } from '../wings/call-actions.ts';
import { SectionsOfWings } from '../wings/sections.tsx';
import { useTimelineNotes } from '../wings/timeline-notes.ts';
import { dateTime, duration } from '../words/time.ts';
import { isAttributed, pullRequestsOf, workKey } from '../words/work.ts';
import type { Session } from './sessions.tsx';

/** Both come with the first call that is opened. */
const VoidButton = lazy(async () => ({
  default: (await import('../parts/session/void-button.tsx')).VoidButton,
}));

const CallDrawer = lazy(async () => ({
  default: (await import('../parts/session/call-drawer.tsx')).CallDrawer,
}));

/** One session: where its cost went, and then call by call. */
export function SessionDetail() {
  const { id = '' } = useParams({ strict: false });
  const zone = useZone();
  const session = useQuery(sessionQuery(id));
  return (
    <Page
      back={{ to: '/sessions', label: 'Sessions' }}
      title={session.data ? `Session of ${dateTime(session.data.started_at, zone)}` : 'Session'}
      heading={
        session.data && (
          <>
            Session of <When at={session.data.started_at} />
          </>
        )
      }
      lead={id}
      actions={session.data?.state === 'open' && <CloseButton id={id} />}
    >
      <Load query={session} waiting={<Awaited />}>
        {(data) => {
          const { signals, attribution, contexts: _, ...fields } = data;
          return (
            <Stack>
              <CostOf session={fields} signals={signals} />
              <Paper withBorder p="md">
                <Facts of={{ ...factsOf(fields), ...workFacts(attribution) }} />
              </Paper>
              <SectionsOfWings at="session" />
              {signals.length > 1 && <ChartCard {...costChart(signals, zone)} />}
              <Calls session={data} />
            </Stack>
          );
        }}
      </Load>
    </Page>
  );
}

/** The shape of the page while it loads. */
function Awaited() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton height={28} maw={560} />
      <Skeleton height={220} />
      <Skeleton height={160} />
      <Skeleton height={300} />
    </Stack>
  );
}

/** The sentence that most people came for, and the tables behind it. */
function CostOf({ session, signals }: { session: Session; signals: readonly Signal[] }) {
  const breakdown = useQuery(breakdownQuery(session.id, session.state === 'open'));
  return (
    <Load query={breakdown} height={220}>
      {(data) => (
        <Stack gap="sm">
          <Text size="lg" className="wrap" data-sentence>
            <bdi>{plainName(whereItWent(data, signals, session.unpriced_signals))}</bdi>
          </Text>
          <BreakdownTables breakdown={data} />
        </Stack>
      )}
    </Load>
  );
}

/** The works of a session, and its timeline. The call that is open is part of the URL. */
function Calls({ session }: { session: SessionAnswer }) {
  const { signals, attribution: works } = session;
  const notes = useTimelineNotes(session);
  const { call } = useSearch({ strict: false }) as { call?: string };
  const [work, setWork] = useState<string | null>(null);
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  // The page stays where it is.
  const show = (id: string | undefined) => {
    const search = (before: object) => ({ ...before, call: id });
    void navigate({ to: '.', search, replace: true, resetScroll: false } as never);
  };
  const open = signals.find(({ id }) => id === call);
  const shown = work === null ? signals : signals.filter((signal) => workKey(signal) === work);
  const of = shown.length === signals.length ? '' : ` of ${exact(signals.length)}`;
  const title = `Timeline, ${exact(shown.length)}${of} ${signals.length === 1 ? 'call' : 'calls'}`;
  return (
    <>
      {isAttributed(works) && <WorksBar works={works} chosen={work} onChoose={setWork} />}
      <Section
        title={title}
        aside={
          work !== null && (
            <Button variant="default" size="compact-sm" onClick={() => setWork(null)}>
              Show all calls
            </Button>
          )
        }
      >
        {signals.length === 0 && (
          <Text c="dimmed">
            {session.signal_count === 0 ? 'All its calls are void.' : 'Its calls are no longer kept.'}
          </Text>
        )}
        {signals.length + notes.length > 0 && (
          <Timeline
            signals={shown}
            notes={work === null ? notes : []}
            marksPlaces={isAttributed(works)}
            onOpen={({ id }) => show(id)}
          />
        )}
        {open && (
          <Suspense fallback={null}>
            <CallDrawer signal={open} onClose={() => show(undefined)}>
              {isAdmin && CALL_ACTIONS.map(({ wing, Content }) => <Content key={wing} signal={open} />)}
              {isAdmin && <VoidButton sessionId={session.id} signal={open} onDone={() => show(undefined)} />}
            </CallDrawer>
          </Suspense>
        )}
      </Section>
    </>
  );
}

/** The pull requests of a session; where its calls name no branch, how they would. */
function workFacts(attribution: readonly Work[]): Record<string, React.ReactNode> {
  if (!isAttributed(attribution))
    return {
      'Worked on': (
        <>
          Not attributed ·{' '}
          <PageLink to="/connect" hash="branches">
            Report branches
          </PageLink>
        </>
      ),
    };
  const pulls = pullRequestsOf(attribution);
  if (pulls.length === 0) return {};
  return {
    [pulls.length === 1 ? 'Pull request' : 'Pull requests']: pulls.map(({ label, short, search }) => (
      <div key={label}>
        <PageLink to="/pull-requests" search={search} title={label}>
          <Name of={short} />
        </PageLink>
      </div>
    )),
  };
}

const END_WORDS = { timeout: 'ended by timeout', closed: 'closed by hand' };

function factsOf(session: Session): Record<string, React.ReactNode> {
  const { state, end_reason, unpriced_signals } = session;
  return {
    State: <State of={state}>{end_reason === null ? state : END_WORDS[end_reason]}</State>,
    User: <FilterLink name="user_id" value={session.user_id} />,
    Project: <FilterLink name="project_id" value={session.project_id} />,
    Tool: <FilterLink name="adapter" value={session.adapter} />,
    Models: <Several by="model" of={session.models} none="none named" />,
    Started: <When at={session.started_at} />,
    'Last activity': <When at={session.last_activity_at} />,
    Length: duration(session.duration_s),
    Cost: costWords(session) + (unpriced_signals > 0 ? `, ${exact(unpriced_signals)} unpriced` : ''),
    'Tokens in': <Count of={session.tokens_in} />,
    'Tokens out': <Count of={session.tokens_out} />,
    Calls: exact(session.signal_count),
    Errors: exact(session.error_count),
    'Policy decisions': exact(session.intervention_count),
  };
}

function FilterLink({ name, value }: { name: 'user_id' | 'project_id' | 'adapter'; value: string }) {
  return (
    <PageLink to="/sessions" search={{ [name]: value }}>
      {name === 'user_id' ? <UserName id={value} /> : <Name of={value} />}
    </PageLink>
  );
}

function CloseButton({ id }: { id: string }) {
  const isAdmin = useIsAdmin();
  const close = useAct(() => take(api.POST('/api/v1/sessions/{id}/close', { params: { path: { id } } })), {
    changes: ['session', 'sessions'],
    done: 'The session has ended.',
  });
  if (!isAdmin) return null;
  return (
    <Group>
      <ActButton
        act={close}
        question={{
          title: 'End this session now?',
          text: 'The next call of this user, project and tool begins a new one.',
          yes: 'End it',
          no: 'Leave it open',
        }}
      >
        End session
      </ActButton>
    </Group>
  );
}
