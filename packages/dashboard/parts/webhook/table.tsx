import type { UseQueryResult } from '@tanstack/react-query';
import type { Webhook } from '../../data/queries.ts';
import { type Column, QueryRows } from '../page/rows.tsx';
import { exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { PageLink } from '../text/page-link.tsx';
import { State } from '../text/state.tsx';
import { When } from '../time/when.tsx';
import { NAMES } from './format-choice.tsx';
import { isChannel, placeOf, subscriptionText, webhookState } from './words.ts';

const STATE: Column<Webhook> = {
  label: 'State',
  isShort: true,
  narrow: 'first',
  render: (webhook) => <State of={webhookState(webhook)} />,
};

/** The columns of a list of webhooks; `heading` is what they are called there. */
function columnsOf(kind: 'endpoint' | 'channel'): readonly Column<Webhook>[] {
  const name: Column<Webhook> = {
    label: kind === 'channel' ? 'Channel' : 'Endpoint',
    narrow: 'first',
    share: 34,
    render: (webhook) => {
      const { name: given, url } = webhook;
      return (
        <PageLink to={placeOf(webhook).page} title={given === undefined ? url : `${given}: ${url}`}>
          <Name of={given ?? url} />
        </PageLink>
      );
    },
  };
  const format: Column<Webhook> = {
    label: 'Sends to',
    isShort: true,
    render: (webhook) => NAMES[webhook.format],
  };
  return [
    name,
    ...(kind === 'channel' ? [format] : []),
    STATE,
    {
      label: 'About',
      share: 26,
      narrow: 'hidden',
      render: (webhook) => {
        const text = subscriptionText(webhook);
        return <span title={text}>{text}</span>;
      },
    },
    { label: 'Held', isNumber: true, render: ({ held }) => exact(held) },
    {
      label: 'Last delivery',
      isShort: true,
      render: ({ last_delivery: last }) => (last ? <State of={last.status} /> : 'none yet'),
    },
    {
      label: 'Failing since',
      isShort: true,
      narrow: 'hidden',
      render: ({ failing_since }) => (failing_since ? <When at={failing_since} /> : '–'),
    },
  ];
}

/** The endpoints or the channels of an organization, and whether their deliveries arrive. */
export function WebhookTable({
  query,
  kind,
  empty,
}: {
  query: UseQueryResult<{ data: Webhook[] }>;
  kind: 'endpoint' | 'channel';
  empty: React.ReactNode;
}) {
  return (
    <QueryRows
      query={only(query, kind)}
      height={240}
      label={kind === 'channel' ? 'Channels' : 'Webhooks'}
      columns={columnsOf(kind)}
      keyOf={({ id }) => id}
      empty={empty}
    />
  );
}

type Listed = UseQueryResult<{ data: Webhook[] }>;

function only(query: Listed, kind: 'endpoint' | 'channel'): Listed {
  if (query.data === undefined) return query;
  const data = query.data.data.filter((webhook) => isChannel(webhook) === (kind === 'channel'));
  return { ...query, data: { ...query.data, data } } as Listed;
}
