import type { Command } from 'commander';
import type { HotRead } from './basics/hot-read.ts';
import type { Probe } from './basics/probe.ts';
import type { Run } from './basics/run.ts';
import { addAnalyticsCommands } from './wings/analytics.ts';
import { probeHeldSignals } from './wings/held.ts';
import { addDestinationCommands } from './wings/push.ts';
import { addCodeHostCommands, HOT_READS } from './wings/work.ts';

/** The part of a wing in the command line of the operator. */
interface GovernorWing {
  name: string;
  addCommands?: (program: Command, run: Run) => void;
  /** Probes of `status`, by their names. */
  probes?: Readonly<Record<string, Probe>>;
  /** Reads of which `doctor mongo` checks that they go by an index. */
  hotReads?: readonly HotRead[];
}

export const GOVERNOR_WINGS: readonly GovernorWing[] = [
  { name: 'work', addCommands: addCodeHostCommands, hotReads: HOT_READS },
  { name: 'held', probes: { 'held-signals': probeHeldSignals } },
  { name: 'analytics', addCommands: addAnalyticsCommands },
  { name: 'push', addCommands: addDestinationCommands },
];
