/** The figures of the report on campaigns. `summary` has the same fields over all campaigns. */
export const CAMPAIGN_FIGURES = {
  items: {
    recipients: { unit: 'recipients', text: 'People that the campaign was meant for.' },
    sent: {
      unit: 'recipients',
      text:
        'Recipients whose message the platform accepted, also delivered and read ones, and those ' +
        'that failed afterwards.',
    },
    delivered: { unit: 'recipients', text: 'Recipients whose message was delivered or read.' },
    read: { unit: 'recipients', text: 'Recipients who read the message.' },
    replied: {
      unit: 'recipients',
      text: 'Recipients who wrote within 72 hours of the send, for the last campaign they got.',
    },
    clicked: { unit: 'recipients', text: 'Recipients who tapped a button of the message.' },
    failed: { unit: 'recipients', text: 'Recipients whose message failed.' },
    unknown: { unit: 'recipients', text: 'Recipients whose outcome was never reported.' },
    skipped: { unit: 'recipients', text: 'Recipients who were left out, such as opted-out ones.' },
    opt_outs: {
      unit: 'recipients',
      text: 'Recipients who opted out within 72 hours of the send, for the last campaign they got.',
    },
    delivery_rate: { unit: 'percent', text: '`delivered` ÷ `sent`.' },
    read_rate: { unit: 'percent', text: '`read` ÷ `delivered`.' },
    reply_rate: { unit: 'percent', text: '`replied` ÷ `delivered`.' },
    estimated_cost: { unit: 'money', text: 'Costs that were estimated at the start.' },
    actual_cost: { unit: 'money', text: 'Costs that the platform has reported so far.' },
  },
} as const
