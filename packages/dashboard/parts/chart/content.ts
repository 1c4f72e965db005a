export interface ChartSeries {
  name: string;
  /** Position in the fixed order of colours; null for the rest. */
  colour: number | null;
  values: readonly number[];
}

/** A page of the dashboard with its search parameters. */
export interface PageOf {
  to: string;
  search: Readonly<Record<string, string | undefined>>;
}

export interface ChartContent {
  labels: readonly string[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Words of a period that has no figures, by its place; null where it has some. */
  instead?: readonly (string | null)[];
  /** As the axis says it; else as `format` does. */
  axis?: (value: number) => string;
  /** A line across, such as a threshold. */
  line?: { value: number; label: string };
  /** The page that explains one period, or one series of it, by their places. */
  pageOf?: (period: number, series?: number) => PageOf;
}
