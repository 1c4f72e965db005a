import './session.css';
import { Box, Text, Title, UnstyledButton } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBan,
  IconGitBranch,
  IconMessage,
  IconShield,
  IconTool,
} from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { TimelineNote } from '../../hooks/wing.ts';
import { clockOf, dateTime, dayOf, latency } from '../../words/time.ts';
import { workKey, workWords } from '../../words/work.ts';
import { compact, money } from '../text/format.ts';
import { plainName } from '../text/plain-name.ts';
import { useZone } from '../time/when.tsx';
import { decisionWords, type Kind, kindOf, type Signal } from './words.ts';

/** Until a row is measured. */
const ROW_PX = 52;

type Item = { heading: string; ts: string } | { place: string } | { signal: Signal } | { note: TimelineNote };

/** All signals in time order, under headings. Only what is on the screen is drawn, however many there are. */
export function Timeline({
  signals,
  notes,
  marksPlaces,
  onOpen,
}: {
  signals: readonly Signal[];
  /** Lines of wings. */
  notes: readonly TimelineNote[];
  /** True where the repository, the branch or the task of the calls is known, so that each change of it is a line. */
  marksPlaces: boolean;
  onOpen: (signal: Signal) => void;
}) {
  const timezone = useZone();
  const items = itemsOf(signals, notes, timezone, marksPlaces);
  const list = useRef<HTMLDivElement>(null);
  const top = useTop(list);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: top,
  });
  return (
    <section
      ref={list}
      aria-label={`Calls, ${signals.length}`}
      style={{ height: virtual.getTotalSize(), position: 'relative' }}
    >
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index];
        return (
          <Box
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className="timeline-row"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {item && 'heading' in item && (
              <Title order={3} pt="sm" pb={4} size="sm">
                <time dateTime={item.ts}>{item.heading}</time>
              </Title>
            )}
            {item && 'place' in item && (
              <div className="timeline-place">
                <IconGitBranch size={18} aria-hidden style={{ flex: 'none' }} />
                <Text size="sm" fw={600} className="name">
                  <bdi>{plainName(item.place)}</bdi>
                </Text>
              </div>
            )}
            {item && 'note' in item && <NoteRow note={item.note} timezone={timezone} />}
            {item && 'signal' in item && (
              <Row signal={item.signal} timezone={timezone} onOpen={() => onOpen(item.signal)} />
            )}
          </Box>
        );
      })}
    </section>
  );
}

/** Where the list begins in the document: what is above it may change its height. */
function useTop(list: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const box = list.current?.getBoundingClientRect();
      if (box) setTop(Math.round(box.top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}

/**
 * The signals and other lines. Several of one minute have a heading, each day has one before its first line, and each work
 * has its name. A line by itself says its time already. Pure.
 */
function itemsOf(
  signals: readonly Signal[],
  notes: readonly TimelineNote[],
  timezone: string,
  marksPlaces: boolean,
): Item[] {
  const items: Item[] = [];
  const lines = [...signals.map((signal) => ({ signal })), ...notes.map((note) => ({ note }))];
  const counts = new Map<string, number>();
  for (const line of lines) {
    const minute = dateTime(timeOf(line), timezone);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  let lastMinute = '';
  let lastDay = '';
  let work: string | null = null;
  for (const line of lines.toSorted((a, b) => Date.parse(timeOf(a)) - Date.parse(timeOf(b)))) {
    const ts = timeOf(line);
    const minute = dateTime(ts, timezone);
    const day = dayOf(ts, timezone);
    if (minute !== lastMinute && (counts.get(minute) ?? 0) > 1) items.push({ heading: minute, ts });
    else if (day !== lastDay) items.push({ heading: day, ts });
    lastMinute = minute;
    lastDay = day;
    if ('signal' in line) {
      if (marksPlaces && workKey(line.signal) !== work) items.push({ place: workWords(line.signal) });
      work = workKey(line.signal);
    }
    items.push(line);
  }
  return items;
}

function timeOf(line: { signal: Signal } | { note: TimelineNote }): string {
  return 'signal' in line ? line.signal.ts : line.note.ts;
}

function NoteRow({ note: { ts, title, detail }, timezone }: { note: TimelineNote; timezone: string }) {
  return (
    <div className="timeline-place">
      <IconBan size={18} role="img" aria-label="Refused" color="var(--bad)" style={{ flex: 'none' }} />
      <Box miw={0}>
        <Text size="sm" className="name">
          <bdi>{plainName(title)}</bdi>
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <time dateTime={ts}>{clockOf(ts, timezone, 'second')}</time> · {detail}
        </Text>
      </Box>
    </div>
  );
}

const ICONS: Record<Kind, typeof IconTool> = {
  gate: IconShield,
  error: IconAlertTriangle,
  chat: IconMessage,
  tool: IconTool,
  call: IconArrowsExchange,
};

const NAMES: Record<Kind, string> = {
  gate: 'Policy decision',
  error: 'Error',
  chat: 'Chat',
  tool: 'Tool',
  call: 'Call',
};

function Row({ signal, timezone, onOpen }: { signal: Signal; timezone: string; onOpen: () => void }) {
  const { ts, latency_ms, cost_usd, tokens_in, tokens_out, cache_read_tokens, type } = signal;
  const kind = kindOf(signal);
  const Icon = ICONS[kind];
  const { title, detail } = describe(signal);
  return (
    <UnstyledButton className="timeline-call" onClick={onOpen} aria-haspopup="dialog">
      <Icon
        size={18}
        role="img"
        aria-label={NAMES[kind]}
        color={kind === 'error' ? 'var(--bad)' : undefined}
        style={{ flex: 'none', marginTop: 2 }}
      />
      <Box style={{ flex: 1 }} miw={0}>
        <Text size="sm" className="name">
          <bdi>{plainName(title)}</bdi>
        </Text>
        <Text size="xs" c="dimmed" className="name" component="div">
          <time dateTime={ts}>{clockOf(ts, timezone, 'second')}</time>
          {detail && (
            <>
              {' · '}
              <bdi>{plainName(detail)}</bdi>
            </>
          )}
          {latency_ms === undefined ? '' : ` · ${latency(latency_ms)}`}
        </Text>
      </Box>
      {type === 'call' && (
        <Box className="number">
          <Text size="sm">{cost_usd === null ? 'no price' : money(cost_usd)}</Text>
          <Text size="xs" c="dimmed">
            {compact(tokens_in)} in, {compact(tokens_out)} out
            {cache_read_tokens > 0 && (
              <Text span inherit visibleFrom="sm">
                , {compact(cache_read_tokens)} cached
              </Text>
            )}
          </Text>
        </Box>
      )}
    </UnstyledButton>
  );
}

function describe(signal: Signal): { title: string; detail: string } {
  const { type, model, tool_name, error, intervention } = signal;
  if (intervention) return { title: decisionWords(signal), detail: '' };
  const called = model ?? type;
  if (error) return { title: `${tool_name ?? called} failed: ${error.code}`, detail: error.message ?? '' };
  return tool_name === undefined ? { title: called, detail: '' } : { title: tool_name, detail: called };
}
