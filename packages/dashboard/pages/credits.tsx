import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BUCKETS } from '../../../shared/core/credits/buckets.ts';
import { api, take } from '../data/client.ts';
import { useIsAdmin, useMe } from '../data/use-me.ts';
import { Ledger } from '../parts/credits/ledger.tsx';
import { MemberBalances } from '../parts/credits/member-balances.tsx';
import { paceOf } from '../parts/credits/pace.ts';
import { BUCKET_NAMES, lengthWords } from '../parts/credits/words.ts';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { exact } from '../parts/text/format.ts';
import { When } from '../parts/time/when.tsx';
import { SectionsOfWings } from '../wings/sections.tsx';

/** The person's credits: how many are left, for how long, and where they went. */
export function Credits() {
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Credits"
      lead="A credit pays for one signed output of your devices. Buckets are spent in this order"
    >
      <SectionsOfWings at="credits above" />
      <Balances />
      <SectionsOfWings at="credits" />
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
              <Text size="sm" c="dimmed">
                {BUCKET_NAMES[bucket]}
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

/** Credits of a window or a month that has not begun. */
const BEGINS = 'begins with your next spend';

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
  if (bucket === 'window') return <WindowEnd {...balance} />;
  if (balance.resets_at === null) return balance.credits > 0 ? BEGINS : '–';
  return (
    <>
      full again <When at={balance.resets_at} />
    </>
  );
}

/** The length of the window, and when it is full again. */
function WindowEnd({ credits, resets_at }: { credits: number; resets_at: number | null }) {
  const { org } = useMe();
  const length = `${lengthWords(org.window_s)} long`;
  if (resets_at === null) return credits > 0 ? `${length}; ${BEGINS}` : '–';
  return (
    <>
      {length}; full again in {lengthWords(Math.max(resets_at - Date.now() / 1_000, 0))},{' '}
      <When at={resets_at} />
    </>
  );
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
  return spent.data ? paceOf(spent.data, fromS, Date.now()) : null;
}

function paceWords(total: number, pace: number): string {
  if (pace === 0) return 'none spent in the last 7 days';
  const days = Math.floor(total / pace);
  const left = days > 365 ? 'more than a year' : `about ${exact(days)} ${days === 1 ? 'day' : 'days'}`;
  return `${left} at the last 7 days’ pace`;
}
