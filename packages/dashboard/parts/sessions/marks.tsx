import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCoin } from '@tabler/icons-react';
import type { AnswerOf } from '../../data/client.ts';
import { RULES } from '../usage/anomaly.tsx';

export type Session = AnswerOf<'/api/v1/sessions'>['data'][number];

/** A session is dear from a dollar on, when it cost as much as ten usual ones. */
const DEAR = { usd: 1, times: 10 } as const;

/** True of a session that cost far more than the mean session of the range, where that is known. Pure. */
export function isDear({ cost_usd }: Pick<Session, 'cost_usd'>, meanUsd: number | undefined): boolean {
  return meanUsd !== undefined && cost_usd >= DEAR.usd && cost_usd >= DEAR.times * meanUsd;
}

/** The marks of a session that one should look at, each an icon and a word. */
export function Marks({ session, meanUsd }: { session: Session; meanUsd: number | undefined }) {
  const kinds = session.anomaly_types.map((type) => RULES[type].name).join(', ');
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
      {isDear(session, meanUsd) && (
        <Tooltip label="It cost at least ten times the mean of the range">
          <span className="mark" data-mark="dear">
            <IconCoin size={14} aria-hidden />
            dear
          </span>
        </Tooltip>
      )}
    </>
  );
}
