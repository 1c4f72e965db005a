import { Box, Group, Text, UnstyledButton } from '@mantine/core';
import { workKey, workWords } from '../../words/work.ts';
import { fillOf, Pattern, Swatch } from '../chart/pattern.tsx';
import { Section } from '../page/section.tsx';
import { costWords, exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { share, type Work } from './words.ts';

/** Works that have a part of the bar; the others are one. */
const MOST_PARTS = 8;

/** The colour of a work by its place: the rest is grey, and so is what belongs to none. */
function seriesOf({ repository, task }: Work, index: number) {
  const isNone = repository === null && task === null;
  return { name: '', values: [], colour: isNone || index >= MOST_PARTS ? null : index };
}

/** A bar of the branches and tasks of a session by cost, and a button for each that shows its calls alone. */
export function WorksBar({
  works,
  chosen,
  onChoose,
}: {
  works: readonly Work[];
  chosen: string | null;
  onChoose: (key: string | null) => void;
}) {
  const isMoney = works.some(({ cost_usd }) => cost_usd > 0);
  const measure = (work: Work) => (isMoney ? work.cost_usd : work.signals);
  const whole = works.reduce((sum, work) => sum + measure(work), 0);
  return (
    <Section title="Worked on">
      <Bar works={works} measure={measure} whole={whole} />
      <Group component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Worked on">
        {works.map((work, index) => (
          <Box component="li" key={workKey(work)} maw="100%">
            <UnstyledButton
              className="work"
              aria-pressed={chosen === workKey(work)}
              onClick={() => onChoose(chosen === workKey(work) ? null : workKey(work))}
            >
              <Swatch of={seriesOf(work, index)} prefix="work-" />
              <Text span size="sm" className="clip">
                <Name of={workWords(work)} />
              </Text>
              <Text span size="sm" c="dimmed" className="number">
                {share(measure(work), whole)} · {costWords(work)} · {exact(work.signals)}{' '}
                {work.signals === 1 ? 'call' : 'calls'}
              </Text>
            </UnstyledButton>
          </Box>
        ))}
      </Group>
    </Section>
  );
}

/** The words are in the list below it. */
function Bar({
  works,
  measure,
  whole,
}: {
  works: readonly Work[];
  measure: (work: Work) => number;
  whole: number;
}) {
  let left = 0;
  return (
    <svg width="100%" height="16" aria-hidden="true" className="works-bar">
      <defs>
        {works.map((work, index) => (
          <Pattern key={workKey(work)} series={seriesOf(work, index)} prefix={`work-bar-${index}-`} />
        ))}
      </defs>
      {works.map((work, index) => {
        const width = whole > 0 ? (measure(work) / whole) * 100 : 0;
        const x = left;
        left += width;
        return (
          <rect
            key={workKey(work)}
            x={`${x}%`}
            width={`${width}%`}
            height="16"
            className="chart-bar"
            fill={fillOf(seriesOf(work, index), `work-bar-${index}-`)}
          />
        );
      })}
    </svg>
  );
}
