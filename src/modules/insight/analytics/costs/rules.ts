/** The figures of the report on costs. */
export const COST_FIGURES = {
  summary: {
    billable_messages: {
      unit: 'messages',
      text: 'Messages that the platform charges, estimates included.',
    },
    free_messages: {
      unit: 'messages',
      text: 'Messages that are free: of the allowance, or after an ad click.',
    },
    unpriced_messages: {
      unit: 'messages',
      text: 'Messages without a price in the price list, which are not in `cost`.',
    },
    estimated_messages: {
      unit: 'messages',
      text: 'Messages whose charge the platform has not reported yet.',
    },
    cost: {
      unit: 'money',
      text: 'Sum of the prices of the billable messages at the time of their sending.',
    },
    estimated_cost: { unit: 'money', text: 'The part of `cost` that is estimated.' },
    ai_cost: {
      unit: 'money',
      text: 'Cost of the calls to AI providers in the period, in `ai_cost_currency`.',
    },
  },
} as const
