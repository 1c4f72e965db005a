import { Alert, Group, Paper, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, take } from '../data/client.ts';
import { anomaliesQuery, sessionQuery } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { ChartCard } from '../parts/chart/card.tsx';
import type { ChartContent } from '../parts/chart/content.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { Section } from '../parts/page/section.tsx';
import { Facts } from '../parts/text/facts.tsx';
import { axisMoney, dateTime, duration, exact, money, more } from '../parts/text/format.ts';
import { PageLink } from '../parts/text/page-link.tsx';
import { State } from '../parts/text/state.tsx';
import { UserName } from '../parts/text/user-name.tsx';
import { Count, When } from '../parts/text/values.tsx';
import { AnomalyFigure, RULES } from '../parts/usage/anomaly.tsx';
import { type Signal, Timeline } from '../parts/usage/timeline.tsx';
import type { Session } from './sessions.tsx';

/** One session, call by call. */
export function SessionDetail() {
  const { id = '' } = useParams({ strict: false });
  const session = useQuery(sessionQuery(id));
  const anomalies = useQuery(anomaliesQuery({ session_id: id }));
  return (
    <Page
      back={{ to: '/sessions', label: 'Sessions' }}
      title={session.data ? `Session of ${dateTime(session.data.started_at)}` : 'Session'}
      lead={id}
      actions={session.data?.state === 'open' && <CloseButton id={id} />}
    >
      <Load query={session} height={400}>
        {({ signals, ...fields }) => {
          const timeline = signals as unknown as Signal[];
          return (
            <Stack>
              <Paper withBorder p="md">
                <Facts of={factsOf(fields)} />
              </Paper>
              {anomalies.data?.data.map((anomaly) => (
                <Alert
                  key={anomaly.id}
                  color="orange"
                  variant="outline"
                  title={RULES[anomaly.anomaly_type].name}
                >
                  Observed <AnomalyFigure type={anomaly.anomaly_type} of={anomaly.observed} /> against{' '}
                  <AnomalyFigure type={anomaly.anomaly_type} of={anomaly.baseline_avg} />{' '}
                  {anomaly.anomaly_type === 'runaway_session' ? 'allowed' : 'usual'} (
                  {more(anomaly.deviation_pct)}), seen <When at={anomaly.detected_at} />.{' '}
                  {RULES[anomaly.anomaly_type].rule}.
                </Alert>
              ))}
              {timeline.length > 1 && <ChartCard {...costChart(timeline)} />}
              <Section title="Timeline">
                <Timeline signals={timeline} />
              </Section>
            </Stack>
          );
        }}
      </Load>
    </Page>
  );
}

const END_WORDS = { timeout: 'ended by timeout', closed: 'closed by hand' };

function factsOf(session: Session): Record<string, React.ReactNode> {
  const { state, end_reason, unpriced_signals } = session;
  return {
    State: <State of={state}>{end_reason === null ? state : END_WORDS[end_reason]}</State>,
    User: <FilterLink name="user_id" value={session.user_id} />,
    Project: <FilterLink name="project_id" value={session.project_id} />,
    Tool: <FilterLink name="adapter" value={session.adapter} />,
    Models: session.models.join(', ') || 'none named',
    Started: <When at={session.started_at} />,
    'Last activity': <When at={session.last_activity_at} />,
    Length: duration(session.duration_s),
    Cost: money(session.cost_usd) + (unpriced_signals > 0 ? ` and ${unpriced_signals} unpriced` : ''),
    'Tokens in': <Count of={session.tokens_in} />,
    'Tokens out': <Count of={session.tokens_out} />,
    Signals: exact(session.signal_count),
    Errors: exact(session.error_count),
    Gates: exact(session.intervention_count),
  };
}

function FilterLink({ name, value }: { name: 'user_id' | 'project_id' | 'adapter'; value: string }) {
  return (
    <PageLink to="/sessions" search={{ [name]: value }}>
      {name === 'user_id' ? <UserName id={value} /> : value}
    </PageLink>
  );
}

const MOST_BARS = 120;

/** Cost by the minute; a long session by as many minutes as make 120 bars. The signals come in order of time. Pure. */
function costChart(signals: readonly Signal[]): { title: string; content: ChartContent } {
  const firstMs = Math.floor(Date.parse(signals[0]?.ts ?? '') / 60_000) * 60_000;
  const minutes = Math.floor((Date.parse(signals.at(-1)?.ts ?? '') - firstMs) / 60_000) + 1;
  const step = Math.ceil(minutes / MOST_BARS);
  const values = Array.from({ length: Math.ceil(minutes / step) }, () => 0);
  for (const { ts, cost_usd } of signals) {
    const bar = Math.floor((Date.parse(ts) - firstMs) / 60_000 / step);
    values[bar] = (values[bar] ?? 0) + (cost_usd ?? 0);
  }
  const title = step === 1 ? 'Cost per minute' : `Cost per ${step} minutes`;
  return {
    title,
    content: {
      labels: values.map((_, index) => dateTime(firstMs + index * step * 60_000).split(', ')[1] ?? ''),
      series: [{ name: title, colour: 0, values }],
      format: money,
      axis: axisMoney,
    },
  };
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
          text: 'The next signal of this user, project and tool begins a new one.',
          yes: 'End it',
          no: 'Leave it open',
        }}
      >
        End session
      </ActButton>
    </Group>
  );
}
