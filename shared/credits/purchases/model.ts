import { collection } from '../../platform/mongo/collection.ts';

/** A Checkout Session that was paid, and the one account that it is granted to. */
export interface PaidCheckout {
  /** The id that Stripe gave it. */
  _id: string;
  account_id: string;
  paid_at: Date;
}

export const paidCheckoutRows = collection<PaidCheckout>('paid_checkouts');
