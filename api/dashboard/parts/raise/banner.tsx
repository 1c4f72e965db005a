import { Alert, Anchor } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, take } from '../../data/client.ts';

const EVERY_MS = 30_000;

/** How many requests for more wait for an admin. */
export function RaisesBanner() {
  const raises = useQuery({
    queryKey: ['raises', 'waiting'],
    queryFn: () => take(api.GET('/v1/raises', { params: { query: { status: 'pending', limit: 1 } } })),
    refetchInterval: EVERY_MS,
  });
  const [first] = raises.data?.data ?? [];
  if (!raises.data || !first) return null;
  const { total } = raises.data;
  return (
    <Alert
      variant="outline"
      color="orange"
      py="xs"
      icon={<IconHandStop size={18} aria-hidden />}
      className="banner"
    >
      <div className="clip-lines">
        <Anchor component={Link} to={total === 1 ? `/raises/${first.id}` : '/raises'}>
          {total === 1
            ? 'A request for more waits for an answer'
            : `${total} requests for more wait for an answer`}
        </Anchor>
      </div>
    </Alert>
  );
}
