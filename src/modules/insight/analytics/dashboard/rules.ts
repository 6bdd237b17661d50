/** Periods of the dashboard. */
export const PERIODS = ['today', 'week', 'month', 'year'] as const
export type Period = (typeof PERIODS)[number]

export const DASHBOARD_FIGURES = {
  contacts: {
    total: {
      unit: 'contacts',
      text: 'Contacts that exist now; with `account_id`, those with a message on that number.',
    },
    new_today: { unit: 'contacts', text: 'Contacts first seen today.' },
    new_this_week: { unit: 'contacts', text: 'Contacts first seen since Monday.' },
    new_in_period: { unit: 'contacts', text: 'Contacts first seen in the period.' },
    growth_percent: {
      unit: 'percent',
      text:
        'Change of `new_in_period` against as many days just before the period; 100 if there were ' +
        'none before.',
    },
  },
  messages: {
    total: { unit: 'messages', text: 'Messages sent and received in the period.' },
    sent: { unit: 'messages', text: 'Outgoing messages that the platform accepted in the period.' },
    received: { unit: 'messages', text: 'Incoming messages of the period.' },
    today: { unit: 'messages', text: 'Messages sent and received today.' },
    failed: { unit: 'messages', text: 'Outgoing messages of the period that failed.' },
  },
  campaigns: {
    total: { unit: 'campaigns', text: 'Campaigns in any state, without deleted ones.' },
    active: { unit: 'campaigns', text: 'Campaigns that are sending or paused now.' },
    completed_this_month: {
      unit: 'campaigns',
      text: 'Campaigns that were completed in this calendar month.',
    },
  },
  chatbot: {
    conversations_today: { unit: 'sessions', text: 'Sessions of the bot that began today.' },
    conversations: { unit: 'sessions', text: 'Sessions of the bot that began in the period.' },
    auto_resolved: {
      unit: 'sessions',
      text: 'Sessions of the period that the bot completed without a person.',
    },
    transferred_to_agent: {
      unit: 'sessions',
      text: 'Sessions of the period that were transferred to a person.',
    },
    resolution_rate: {
      unit: 'percent',
      text: 'Share of the ended sessions of the period that the bot resolved.',
    },
  },
  transfers: {
    waiting: { unit: 'transfers', text: 'Transfers that wait for a person now.' },
    oldest_waiting_seconds: {
      unit: 'seconds',
      text: 'How long the oldest of them has waited.',
    },
    sla_breached: {
      unit: 'transfers',
      text: 'Transfers whose deadline was missed in the period.',
    },
  },
} as const
