import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { more } from '../../parts/text/format.ts';
import { When } from '../../parts/time/when.tsx';
import { AnomalyAnswers, AnomalyState } from './answer.tsx';
import { type Anomaly, AnomalyFigure, RULES } from './figure.tsx';
import { anomaliesQuery } from './query.ts';

/** The anomalies of the session of this page. */
export function AnomaliesOfSession() {
  const { id = '' } = useParams({ strict: false });
  const anomalies = useQuery(anomaliesQuery({ session_id: id }));
  return anomalies.data?.data.map((anomaly) => <AnomalyNote key={anomaly.id} anomaly={anomaly} />);
}

function AnomalyNote({ anomaly }: { anomaly: Anomaly }) {
  const { anomaly_type, observed, baseline_avg, deviation_pct, detected_at, corrected_at } = anomaly;
  return (
    <Alert
      color={anomaly.state === 'new' ? 'orange' : 'gray'}
      variant="outline"
      title={RULES[anomaly_type].name}
    >
      Observed <AnomalyFigure of={anomaly} value={observed} /> against{' '}
      <AnomalyFigure of={anomaly} value={baseline_avg} />{' '}
      {anomaly_type === 'runaway_session' ? 'allowed' : 'usual'} ({more(deviation_pct)}), seen{' '}
      <When at={detected_at} />. {RULES[anomaly_type].rule}.
      {corrected_at && (
        <>
          {' '}
          Calls of this session were voided on <When at={corrected_at} />.
        </>
      )}
      <Group gap="sm" mt="xs">
        <AnomalyState of={anomaly} />
        <AnomalyAnswers of={anomaly} />
      </Group>
    </Alert>
  );
}
