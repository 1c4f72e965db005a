import type { ApiWing } from '../../hooks/wing.ts';
import { applyRepricing } from './apply-repricing.ts';
import { createPriceRule } from './create-price-rule.ts';
import { createRepricing } from './create-repricing.ts';
import { deletePriceRule } from './delete-price-rule.ts';
import { deleteRepricing } from './delete-repricing.ts';
import { getPriceRule } from './get-price-rule.ts';
import { getRepricing } from './get-repricing.ts';
import { listPriceRules } from './list-price-rules.ts';
import { quotePrice } from './quote-price.ts';
import { updatePriceRule } from './update-price-rule.ts';

export const prices: ApiWing = {
  name: 'prices',
  sections: [
    {
      after: 'ANY /gate',
      routes: [
        createPriceRule,
        listPriceRules,
        getPriceRule,
        updatePriceRule,
        deletePriceRule,
        quotePrice,
        createRepricing,
        getRepricing,
        applyRepricing,
        deleteRepricing,
      ],
    },
  ],
};
