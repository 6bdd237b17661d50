const PERSON_AFTER =
  'a timed-out one counts if the bot answered it outside a flow, and no person wrote and no ' +
  'transfer began in the 24 hours after it'

/** The figures of the report on the chatbot. */
export const CHATBOT_FIGURES = {
  summary: {
    total_conversations: { unit: 'sessions', text: 'Sessions of the bot that began in the range.' },
    auto_resolved: {
      unit: 'sessions',
      text: `Sessions that were completed; ${PERSON_AFTER}.`,
    },
    transferred_to_agent: { unit: 'sessions', text: 'Sessions that ended with a person.' },
    abandoned: {
      unit: 'sessions',
      text:
        'Sessions that timed out in a step of a flow, were cancelled or failed, and timed-out ones ' +
        'that are not `auto_resolved`.',
    },
    open: {
      unit: 'sessions',
      text: 'Sessions that are still active; with the three before they add up to the total.',
    },
    resolution_rate: { unit: 'percent', text: '`auto_resolved` ÷ sessions that are not open.' },
    avg_messages_per_conversation: {
      unit: 'number',
      text: 'Messages of both sides ÷ sessions, of those that ended.',
    },
    messages_per_turn: {
      unit: 'number',
      text:
        'Messages of the bot ÷ its turns with a message, of sessions that ended; 1 if every turn is ' +
        'one message.',
    },
    avg_resolution_time_seconds: {
      unit: 'seconds',
      text: 'Mean time from beginning to end of the `auto_resolved` sessions.',
    },
  },
  by_flow: {
    conversations: { unit: 'sessions', text: 'Sessions whose last flow it is.' },
    completed: { unit: 'sessions', text: 'Sessions that reached the end of the flow.' },
    transferred: { unit: 'sessions', text: 'Sessions that ended with a person.' },
    abandoned: { unit: 'sessions', text: 'Sessions that were abandoned, as in `summary`.' },
    completion_rate: { unit: 'percent', text: '`completed` ÷ `conversations`.' },
  },
  ai_usage: {
    total_requests: {
      unit: 'requests',
      text: 'Requests to AI providers, those of tests included.',
    },
    failed_requests: { unit: 'requests', text: 'Requests that failed.' },
    input_tokens: { unit: 'tokens', text: 'Tokens of the prompts, as the providers count them.' },
    output_tokens: { unit: 'tokens', text: 'Tokens of the answers.' },
    total_tokens: { unit: 'tokens', text: 'Tokens of prompts and answers.' },
    avg_tokens_per_request: { unit: 'number', text: '`total_tokens` ÷ `total_requests`.' },
    estimated_cost: {
      unit: 'number',
      text: 'Sum of the costs in `currency` by the prices of the settings; calls without a price add nothing.',
    },
  },
  timeline: {
    conversations: { unit: 'sessions', text: 'Sessions that began in the point.' },
    auto_resolved: { unit: 'sessions', text: 'Of those: `auto_resolved` as in `summary`.' },
    transferred_to_agent: { unit: 'sessions', text: 'Of those: ended with a person.' },
    abandoned: { unit: 'sessions', text: 'Of those: abandoned.' },
  },
} as const
