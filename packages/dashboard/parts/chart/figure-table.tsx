import { type Column, Rows, useIsNarrow } from '../page/rows.tsx';
import { Name } from '../text/name.tsx';
import { PageLink } from '../text/page-link.tsx';
import { plainName } from '../text/plain-name.ts';
import type { ChartContent, PageOf } from './content.ts';

/** A chart's figures as a table: a column per series, and on a narrow screen a row per figure that is not zero. */
export function FigureTable(props: { title: string; content: ChartContent }) {
  return useIsNarrow() ? <NarrowFigures {...props} /> : <WideFigures {...props} />;
}

/** Two periods may be called alike, so a row is known by its place. */
interface Period {
  index: number;
  label: string;
}

function WideFigures({
  title,
  content: { labels, series, format, pageOf },
}: {
  title: string;
  content: ChartContent;
}) {
  const columns: readonly Column<Period>[] = [
    {
      label: 'Period',
      isHeading: true,
      render: ({ label, index }) => <Linked page={pageOf?.(index)}>{label}</Linked>,
    },
    ...series.map(({ name, values }, at) => ({
      label: plainName(name),
      isNumber: true,
      render: ({ index }: Period) => (
        <Linked page={values[index] ? pageOf?.(index, at) : undefined}>{format(values[index] ?? 0)}</Linked>
      ),
    })),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section aria-label={`${title}, figures`} style={{ overflowX: 'auto' }} tabIndex={0}>
      <Rows
        label={title}
        rows={labels.map((label, index) => ({ index, label }))}
        columns={columns}
        keyOf={({ index }) => String(index)}
      />
    </section>
  );
}

/** A figure that leads to the page that explains it, where there is one. */
function Linked({ page, children }: { page: PageOf | undefined; children: string }) {
  return page ? <PageLink {...page}>{children}</PageLink> : children;
}

interface Figure extends Period {
  name: string;
  value: number;
  page: PageOf | undefined;
}

function NarrowFigures({
  title,
  content: { labels, series, format, pageOf },
}: {
  title: string;
  content: ChartContent;
}) {
  const figures: Figure[] = labels.flatMap((label, index) =>
    series
      .map(({ name, values }, at) => ({
        label,
        index,
        name,
        value: values[index] ?? 0,
        page: pageOf?.(index, at),
      }))
      .filter(({ value }) => value !== 0),
  );
  const columns: readonly Column<Figure>[] = [
    { label: 'Period', isShort: true, narrow: 'first', render: ({ label }) => label },
    {
      label: 'Amount',
      isNumber: true,
      narrow: 'first',
      render: ({ value, page }) => <Linked page={page}>{format(value)}</Linked>,
    },
    { label: 'Of', render: ({ name }) => <Name of={name} /> },
  ];
  return (
    <Rows
      label={title}
      rows={figures}
      columns={columns}
      keyOf={({ index, name }) => JSON.stringify([index, name])}
    />
  );
}
