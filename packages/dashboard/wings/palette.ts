import type { PaletteWing } from '../hooks/wing.ts';
import { exports } from './exports/palette.ts';
import { prices } from './prices/palette.ts';
import { push } from './push/palette.ts';
import { raises } from './raises/palette.ts';
import { work } from './work/palette.ts';

/** The parts of wings in the palette, in the order of shared/tables/wings.ts. */
export const PALETTE_WINGS: readonly PaletteWing[] = [raises, work, exports, push, prices];
