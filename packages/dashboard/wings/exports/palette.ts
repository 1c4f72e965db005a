import { IconDownload } from '@tabler/icons-react';
import type { PaletteWing } from '../../hooks/wing.ts';

export const exports: PaletteWing = {
  actions: [
    {
      name: 'Download a file of last month',
      words: 'export csv ndjson parquet finance bill invoice',
      icon: IconDownload,
      to: '/export',
      search: { range: 'last_month' },
      role: 'member',
    },
  ],
};
