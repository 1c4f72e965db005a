const WIDTH = 100;
const HEIGHT = 28;

/** A line without axes, beside a number. Says nothing that the number's page does not say. */
export function TileLine({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const most = Math.max(...values, Number.MIN_VALUE);
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height={HEIGHT}
      aria-hidden="true"
      style={{ display: 'block', marginTop: 4 }}
    >
      <polygon
        points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`}
        fill="var(--mantine-color-anchor)"
        opacity="0.12"
      />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mantine-color-anchor)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
