/** The figures of the report on quality. `groups` and `timeline` have the same ones. */
export const QUALITY_FIGURES = {
  summary: {
    answers: {
      unit: 'messages',
      text: 'Messages with which a person answered a customer who began to wait in the period.',
    },
    avg_first_response_seconds: {
      unit: 'seconds',
      text: 'Mean time from the first unanswered message of the customer to that answer.',
    },
    median_first_response_seconds: {
      unit: 'seconds',
      text: 'Median of the same times, within 2 percent.',
    },
    transfers_handled: {
      unit: 'transfers',
      text: 'Transfers that ended in the period while somebody had them.',
    },
    avg_queue_seconds: {
      unit: 'seconds',
      text: 'Mean time from transfer to pickup of the handled transfers.',
    },
    avg_resolution_seconds: {
      unit: 'seconds',
      text: 'Mean time from transfer to end of the handled transfers.',
    },
    sla_breached: { unit: 'transfers', text: 'Handled transfers that missed a deadline.' },
    sla_met_rate: { unit: 'percent', text: 'Share of the handled transfers that missed none.' },
  },
} as const
