import { counter } from '../../../platform/basics/metrics.ts';

export const deviceAddressChanges = counter({
  name: 'governor_device_address_changes_total',
  help: 'Spends of a device from another address than its last one: often means a copied token.',
});
