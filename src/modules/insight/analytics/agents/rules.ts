/** The figures of the report on agents. `summary` has the same fields over all agents. */
export const AGENT_FIGURES = {
  items: {
    active_transfers: { unit: 'transfers', text: 'Transfers that the agent has now.' },
    transfers_handled: {
      unit: 'transfers',
      text: 'Transfers that ended in the range while the agent had them.',
    },
    avg_queue_seconds: {
      unit: 'seconds',
      text: 'Mean time from transfer to pickup of the handled transfers.',
    },
    avg_first_response_seconds: {
      unit: 'seconds',
      text:
        'Mean time that customers waited from their first unanswered message in the range to the ' +
        'first message that a person sent.',
    },
    median_first_response_seconds: {
      unit: 'seconds',
      text: 'Median of the same times, within 2 percent.',
    },
    avg_resolution_seconds: {
      unit: 'seconds',
      text: 'Mean time from transfer to end of the handled transfers.',
    },
    sla_breached: { unit: 'transfers', text: 'Handled transfers that missed a deadline.' },
    messages_sent: {
      unit: 'messages',
      text:
        'Messages that this person and nobody else sent, and that the platform accepted in the ' +
        'range.',
    },
    available_seconds: {
      unit: 'seconds',
      text: 'Time in the range during which the agent was a member and not on a break.',
    },
    away_seconds: { unit: 'seconds', text: 'Duration of the breaks within the range.' },
    breaks: { unit: 'breaks', text: 'Breaks that overlap the range.' },
  },
} as const
