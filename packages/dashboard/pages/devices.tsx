import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AnswerOf, api, take } from '../data/client.ts';
import { devicesQuery } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { type Column, Rows } from '../parts/page/rows.tsx';
import { Empty } from '../parts/page/section.tsx';
import { Name } from '../parts/text/name.tsx';
import { State } from '../parts/text/state.tsx';
import { When } from '../parts/time/when.tsx';

type Device = AnswerOf<'/v1/devices'>['devices'][number];

const COLUMNS: readonly Column<Device>[] = [
  { label: 'Name', narrow: 'first', render: ({ name }) => <Name of={name ?? 'without a name'} /> },
  { label: 'State', isShort: true, narrow: 'first', render: ({ status }) => <State of={status} /> },
  { label: 'Linked', narrow: 'hidden', render: ({ created_at }) => <When at={created_at} /> },
  { label: 'Last spent', isShort: true, render: ({ last_seen_at }) => <When at={last_seen_at} relative /> },
  { label: 'Id', narrow: 'hidden', render: ({ device_id }) => device_id },
  { label: '', render: (device) => (device.status === 'active' ? <Revoke device={device} /> : null) },
];

/** The person's devices, which spend the person's credits. */
export function Devices() {
  const devices = useQuery(devicesQuery());
  const link = (
    <Button component={Link} to="/activate" variant="default">
      Enter a code
    </Button>
  );
  return (
    <Page
      title="Devices"
      lead="These machines spend your credits. A revoked one is refused from its next call on."
      actions={link}
    >
      <Load query={devices}>
        {({ devices: all }) =>
          all.length === 0 ? (
            <Empty action={link}>
              No device yet. A device that wants to be linked shows a code; enter it at{' '}
              <Anchor component={Link} to="/activate">
                Activate
              </Anchor>
              .
            </Empty>
          ) : (
            <Rows label="Devices" rows={all} columns={COLUMNS} keyOf={({ device_id }) => device_id} />
          )
        }
      </Load>
    </Page>
  );
}

function Revoke({ device: { device_id, name } }: { device: Device }) {
  const revoke = useAct(() => take(api.POST('/v1/devices/revoke', { body: { device_id } })), {
    changes: ['devices'],
    done: 'The device is revoked.',
  });
  const shown = name ?? device_id;
  return (
    <ActButton
      act={revoke}
      question={{
        title: `Revoke ${shown}?`,
        text: 'It spends no credit any more. To use it again it has to be linked anew.',
        yes: 'Revoke',
      }}
      size="compact-sm"
      aria-label={`Revoke ${shown}`}
    >
      Revoke
    </ActButton>
  );
}
