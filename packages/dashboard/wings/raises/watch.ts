import { type AnswerOf, api, take } from '../../data/client.ts';
import { type Concern, watch } from '../../hooks/concern.ts';
import { exact } from '../../parts/text/format.ts';

type RaisesPage = AnswerOf<'/v1/raises'>;

export const raises = watch({
  queryKey: ['raises', 'waiting'],
  queryFn: () => take(api.GET('/v1/raises', { params: { query: { status: 'pending', limit: 1 } } })),
  pollMs: 30_000,
  concernsOf: raiseConcerns,
});

/** Requests for more of a budget that wait for an admin; a newer one is another occurrence. */
function raiseConcerns(waiting: RaisesPage): Concern[] {
  const [newest] = waiting.data;
  if (!newest) return [];
  const isOne = waiting.total === 1;
  return [
    {
      kind: 'raise',
      object: 'requests',
      occurrence: newest.id,
      severity: 'warning',
      link: isOne ? 'A request for more waits' : `${exact(waiting.total)} requests for more wait`,
      note: isOne ? 'an admin has to answer it' : 'an admin has to answer them',
      to: isOne ? `/raises/${newest.id}` : '/raises',
    },
  ];
}
