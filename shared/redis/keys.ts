/** Every Redis key that we name ourselves. BullMQ keeps its own under this prefix; the tag keeps a queue in one slot. */
export const QUEUE_PREFIX = '{governor}';
