import { Box, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconMessage, IconShield, IconTool } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { money } from '../text/format.ts';
import { Count, When } from '../text/values.tsx';

/** A signal as a session shows it. */
export interface Signal {
  id: string;
  type: 'call' | 'intervention';
  ts: string;
  model: string | null;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number | null;
  cost_source: string;
  tool_name?: string;
  latency_ms?: number;
  error?: { code: string; message?: string };
  intervention?: { kind: string; verdict: string; action: string; source: string; reason?: string };
}

/** Until a row is measured. */
const ROW_PX = 50;

/** All signals in time order. Only what is on the screen is drawn, however many there are. */
export function Timeline({ signals }: { signals: readonly Signal[] }) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: signals.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  return (
    <section
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={`Signals, ${signals.length}`}
      style={{ height: Math.min(560, virtual.getTotalSize() + 2), overflowY: 'auto' }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const signal = signals[index];
          return (
            <Box
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              style={{ position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${start}px)` }}
            >
              {signal && <Row signal={signal} />}
            </Box>
          );
        })}
      </div>
    </section>
  );
}

function Row({ signal }: { signal: Signal }) {
  const { ts, latency_ms, cost_usd, tokens_in, tokens_out, type } = signal;
  const { Icon, title, detail } = describe(signal);
  return (
    <Group
      wrap="nowrap"
      gap="sm"
      py={6}
      align="flex-start"
      style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
    >
      <Icon size={18} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
      <Box style={{ flex: 1 }} miw={0}>
        <Text size="sm" className="wrap">
          {title}
        </Text>
        <Text size="xs" c="dimmed" className="wrap" component="div">
          <When at={ts} />
          {detail && ` · ${detail}`}
          {latency_ms === undefined ? '' : ` · ${latency_ms} ms`}
        </Text>
      </Box>
      {type === 'call' && (
        <Box className="number">
          <Text size="sm">{cost_usd === null ? 'no price' : money(cost_usd)}</Text>
          <Text size="xs" c="dimmed">
            <Count of={tokens_in} /> in, <Count of={tokens_out} /> out
          </Text>
        </Box>
      )}
    </Group>
  );
}

function describe({ type, model, tool_name, error, intervention }: Signal) {
  if (intervention) {
    const { kind, verdict, action, source, reason } = intervention;
    const title = `${kind}: the gate said ${verdict}, and the action was ${action}`;
    return { Icon: IconShield, title, detail: [source, reason].filter(Boolean).join(' · ') };
  }
  const called = model ?? type;
  if (error)
    return {
      Icon: IconAlertTriangle,
      title: `${tool_name ?? called} failed: ${error.code}`,
      detail: error.message ?? '',
    };
  if (tool_name) return { Icon: IconTool, title: tool_name, detail: called };
  return { Icon: IconMessage, title: called, detail: '' };
}
