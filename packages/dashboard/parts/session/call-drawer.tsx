import { Badge, Button, CopyButton, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { latency } from '../../words/time.ts';
import { Facts } from '../text/facts.tsx';
import { exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { plainName } from '../text/plain-name.ts';
import { When } from '../time/when.tsx';
import { decisionWords, type Signal } from './words.ts';

const SOURCES = {
  reported: 'reported by the tool',
  computed: 'computed from the price list',
  unknown: 'no price is known',
  rule: 'by a price rule',
} as const;

/** One call or policy decision, whole. */
export function CallDrawer({
  signal,
  onClose,
  children,
}: {
  signal: Signal;
  onClose: () => void;
  /** Buttons for what may be done about it. */
  children?: React.ReactNode;
}) {
  const { id, metadata = {}, error } = signal;
  const pairs = Object.entries(metadata);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={signal.type === 'intervention' ? 'Policy decision' : 'Call'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm" className="wrap" ff="monospace">
          <bdi>{plainName(id)}</bdi>
        </Text>
        {signal.intervention && (
          <Text size="sm" className="wrap">
            <bdi>{plainName(decisionWords(signal))}</bdi>
          </Text>
        )}
        {error && (
          <div>
            <Badge color="red.9" tt="none">
              {error.code}
            </Badge>
            <Text size="sm" mt="xs" className="wrap">
              <bdi>{plainName(error.message ?? 'No message came with it.')}</bdi>
            </Text>
          </div>
        )}
        <Facts of={factsOf(signal)} lg={2} />
        {pairs.length > 0 && <Metadata pairs={pairs} />}
        <Group>
          <CopyJson signal={signal} />
          {children}
        </Group>
      </Stack>
    </Drawer>
  );
}

function factsOf(signal: Signal): Record<string, React.ReactNode> {
  const { ts, model, provider, tool_name, latency_ms, metadata = {} } = signal;
  const own = (text: string | null | undefined) => <Name of={text ?? 'not named'} />;
  return {
    Time: <When at={ts} precision="millisecond" />,
    'Request id': own(metadata.request_id),
    Model: own(model),
    Provider: own(provider),
    Tool: own(tool_name),
    Latency: latency_ms === undefined ? 'not measured' : latency(latency_ms),
    'Tokens in': exact(signal.tokens_in),
    'Tokens out': exact(signal.tokens_out),
    'Read from cache': exact(signal.cache_read_tokens),
    'Written to cache': exact(signal.cache_write_tokens),
    Cost: costWords(signal),
    ...(signal.price_rule ? { 'Price rule': signal.price_rule.name } : {}),
    Reservation: own(signal.reservation_id ?? 'none'),
  };
}

/** All nine decimals: one call is mostly a fraction of a cent. */
function costWords({ cost_usd, cost_source }: Signal): string {
  const source = SOURCES[cost_source];
  if (cost_usd === null) return source;
  const dollars = cost_usd.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 9,
  });
  return `${dollars}, ${source}`;
}

function Metadata({ pairs }: { pairs: readonly (readonly [string, string])[] }) {
  return (
    <div>
      <Title order={3} mb={4}>
        Metadata
      </Title>
      <Table aria-label="Metadata" layout="fixed" withTableBorder>
        <Table.Tbody>
          {pairs.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} className="wrap" w="40%">
                <bdi>{plainName(name)}</bdi>
              </Table.Th>
              <Table.Td className="wrap">
                <bdi>{plainName(value)}</bdi>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function CopyJson({ signal }: { signal: Signal }) {
  return (
    <CopyButton value={JSON.stringify(signal, null, 2)}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        >
          {copied ? 'Copied' : 'Copy as JSON'}
        </Button>
      )}
    </CopyButton>
  );
}
