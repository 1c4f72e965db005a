import { IconCloudUpload } from '@tabler/icons-react';
import type { PaletteWing } from '../../hooks/wing.ts';

export const push: PaletteWing = {
  actions: [
    {
      name: 'New export destination',
      words: 'create add a bucket push s3 warehouse',
      icon: IconCloudUpload,
      to: '/export',
      search: { open: 'destination' },
      role: 'admin',
    },
  ],
};
