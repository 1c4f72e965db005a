import { Paper, SimpleGrid, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { BUCKETS, REASONS } from '../../../shared/credits/buckets.ts';
import { type AnswerOf, api, take } from '../data/client.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { useChoice } from '../data/use-range.ts';
import { Arriving } from '../parts/credits/arriving.tsx';
import { MemberBalances } from '../parts/credits/member-balances.tsx';
import { creditsPerDay } from '../parts/credits/pace.ts';
import { TopUp } from '../parts/credits/top-up.tsx';
import { SearchSelect } from '../parts/form/search-select.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { PagedRows, usePages } from '../parts/page/pager.tsx';
import type { Column } from '../parts/page/rows.tsx';
import { Section } from '../parts/page/section.tsx';
import { exact } from '../parts/text/format.ts';
import { When } from '../parts/time/when.tsx';

type Transaction = AnswerOf<'/v1/ledger'>['transactions'][number] & { place: number };

/** The person's credits: how many are left, for how long, and where they went. */
export function Credits() {
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Credits"
      lead="One credit is one output that the server has signed. They are spent in this order."
    >
      <Arriving />
      <Balances />
      <TopUp />
      <Ledger />
      {isAdmin && <MemberBalances />}
    </Page>
  );
}

function Balances() {
  const balance = useQuery({
    queryKey: ['balance'],
    queryFn: () => take(api.GET('/v1/balance')),
    refetchInterval: 10_000,
  });
  const pace = usePace();
  return (
    <Load query={balance} height={120}>
      {({ balances, total }) => (
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
          {BUCKETS.map((bucket) => (
            <Paper key={bucket} withBorder p="sm">
              <Text size="sm" c="dimmed" tt="capitalize">
                {bucket}
              </Text>
              <Text className="tile">{exact(balances[bucket].credits)}</Text>
              <Text size="xs" c="dimmed" component="div">
                <BucketEnd bucket={bucket} balance={balances[bucket]} />
              </Text>
            </Paper>
          ))}
          <Paper withBorder p="sm">
            <Text size="sm" c="dimmed">
              Total
            </Text>
            <Text className="tile">{exact(total)}</Text>
            <Text size="xs" c="dimmed">
              {pace !== null && paceWords(total, pace)}
            </Text>
          </Paper>
        </SimpleGrid>
      )}
    </Load>
  );
}

function BucketEnd({
  bucket,
  balance,
}: {
  bucket: string;
  balance:
    | { credits: number; resets_at: number | null }
    | { lots: { credits: number; expires_at: number | null }[] };
}) {
  if ('lots' in balance) {
    const next = balance.lots.find(({ expires_at }) => expires_at !== null);
    if (!next) return balance.lots.length > 0 ? 'do not expire' : 'none';
    return (
      <>
        {exact(next.credits)} expire <When at={next.expires_at} />
      </>
    );
  }
  if (balance.resets_at !== null)
    return (
      <>
        full again <When at={balance.resets_at} />
      </>
    );
  return bucket === 'window' && balance.credits > 0 ? 'begins with the next spend' : '–';
}

const WEEK_S = 7 * 86_400;
const DAY_S = 86_400;
const MOST_ROWS = 500;

/** Credits spent per day over the last 7 days; null while that is not known. */
function usePace(): number | null {
  const fromS = Math.floor(Date.now() / 1_000 / DAY_S) * DAY_S - WEEK_S;
  const spent = useQuery({
    queryKey: ['ledger', 'pace', fromS],
    queryFn: () =>
      take(
        api.GET('/v1/ledger', {
          params: { query: { from: fromS, reason: 'receipt', limit: MOST_ROWS } },
        }),
      ),
    staleTime: 60_000,
  });
  if (!spent.data) return null;
  const { transactions, has_more } = spent.data;
  // A busy account fills the page before the week is over: its pace is that of the page.
  const sinceS = has_more ? transactions.at(-1)?.created_at : undefined;
  return creditsPerDay(transactions, sinceS ?? fromS, Date.now());
}

const COLUMNS: readonly Column<Transaction>[] = [
  { label: 'When', isShort: true, narrow: 'first', render: ({ created_at }) => <When at={created_at} /> },
  {
    label: 'Change',
    isNumber: true,
    narrow: 'first',
    render: ({ delta }) => (delta > 0 ? `+${exact(delta)}` : exact(delta)),
  },
  { label: 'Bucket', render: ({ bucket }) => bucket },
  { label: 'Reason', render: ({ reason }) => reason },
];

function Ledger() {
  const bucket = useChoice('bucket', BUCKETS);
  const reason = useChoice('reason', REASONS);
  const asked = { ...(bucket ? { bucket } : {}), ...(reason ? { reason } : {}) };
  const pages = usePages(JSON.stringify(asked), (cursor) =>
    queryOptions({
      queryKey: ['ledger', asked, cursor],
      queryFn: async () => {
        const query = { ...asked, ...cursor, limit: 50 };
        const { transactions, ...page } = await take(api.GET('/v1/ledger', { params: { query } }));
        // Rows of one spend may look alike, so that each is known by its place.
        return { ...page, data: transactions.map((row, place) => ({ ...row, place })) };
      },
      refetchInterval: 15_000,
    }),
  );
  return (
    <Section title="Ledger">
      <Text size="sm" c="dimmed">
        Every credit that came or went. The device that spent one has its signed receipt, and the API shows it
        again.
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <SearchSelect name="bucket" aria-label="Bucket" none="Any bucket" data={BUCKETS} />
        <SearchSelect name="reason" aria-label="Reason" none="Any reason" data={REASONS} />
      </SimpleGrid>
      <PagedRows
        pages={pages}
        label="Ledger"
        columns={COLUMNS}
        keyOf={({ place }) => String(place)}
        empty={
          <Text c="dimmed">
            {bucket || reason
              ? 'Nothing with these filters.'
              : 'Nothing yet. The first credit that a device of yours spends appears here.'}
          </Text>
        }
      />
    </Section>
  );
}

function paceWords(total: number, pace: number): string {
  if (pace === 0) return 'none spent in the last 7 days';
  const days = Math.floor(total / pace);
  const left = days > 365 ? 'more than a year' : `about ${exact(days)} ${days === 1 ? 'day' : 'days'}`;
  return `${left} at the last 7 days’ pace`;
}
