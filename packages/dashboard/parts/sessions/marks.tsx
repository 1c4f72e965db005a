import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCoin } from '@tabler/icons-react';
import type { AnswerOf } from '../../data/client.ts';

export type Session = AnswerOf<'/api/v1/sessions'>['data'][number];

/** A session is expensive from a dollar on, when it cost as much as ten usual ones. */
const EXPENSIVE = { usd: 1, times: 10 } as const;

/** True of a session that cost far more than the mean session of the range, where that is known. Pure. */
export function isExpensive({ cost_usd }: Pick<Session, 'cost_usd'>, meanUsd: number | undefined): boolean {
  return meanUsd !== undefined && cost_usd >= EXPENSIVE.usd && cost_usd >= EXPENSIVE.times * meanUsd;
}

/** The marks of a session that one should look at, each an icon and a word. */
export function Marks({ session, meanUsd }: { session: Session; meanUsd: number | undefined }) {
  const kinds = session.anomaly_types.map((type) => type.replaceAll('_', ' ')).join(', ');
  return (
    <>
      {kinds !== '' && (
        <Tooltip label={kinds}>
          <span className="mark" data-mark="anomaly">
            <IconAlertTriangle size={14} aria-hidden />
            anomaly
          </span>
        </Tooltip>
      )}
      {isExpensive(session, meanUsd) && (
        <Tooltip label="It cost at least ten times the mean of the range">
          <span className="mark" data-mark="expensive">
            <IconCoin size={14} aria-hidden />
            expensive
          </span>
        </Tooltip>
      )}
    </>
  );
}
