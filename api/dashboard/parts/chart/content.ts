export interface ChartSeries {
  name: string;
  /** Position in the fixed order of colours; null for the rest. */
  colour: number | null;
  values: readonly number[];
}

export interface ChartContent {
  labels: readonly string[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** As the axis says it; else as `format` does. */
  axis?: (value: number) => string;
  /** A line across, such as a threshold. */
  line?: { value: number; label: string };
}
