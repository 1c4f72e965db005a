import type { ApiWing } from '../../hooks/wing.ts';
import { beginCheckout } from './begin-checkout.ts';
import { getCheckout } from './get-checkout.ts';
import { getCreditPrice } from './get-credit-price.ts';
import { takeStripeEvent } from './take-stripe-event.ts';

export const purchases: ApiWing = {
  name: 'purchases',
  sections: [
    {
      after: 'GET /v1/org/{orgId}/balances',
      routes: [getCreditPrice, beginCheckout, getCheckout, takeStripeEvent],
    },
  ],
};
