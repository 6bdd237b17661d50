/** The figures of the report on messages. */
export const MESSAGE_FIGURES = {
  summary: {
    total_sent: {
      unit: 'messages',
      text:
        'Outgoing messages that the platform accepted in the period, those that failed later ' +
        'included.',
    },
    total_received: {
      unit: 'messages',
      text: 'Incoming messages, by the time of the platform.',
    },
    total_delivered: {
      unit: 'messages',
      text: 'Messages of `total_sent` that were delivered or read at any time.',
    },
    total_read: {
      unit: 'messages',
      text: 'Messages of `total_sent` that were read at any time.',
    },
    total_failed: {
      unit: 'messages',
      text:
        'Outgoing messages that failed, those that the platform never accepted included: by their ' +
        'sending, or by their creation if they were never sent.',
    },
    delivery_rate: {
      unit: 'percent',
      text: 'Share of the sent messages that were delivered.',
    },
    read_rate: {
      unit: 'percent',
      text: 'Share of the delivered messages that were read.',
    },
    unique_contacts: {
      unit: 'contacts',
      text:
        'Different contacts with a sent or received message on a day of the period; `null` for ' +
        'more than 92 days.',
    },
    avg_first_response_seconds: {
      unit: 'seconds',
      text:
        'Mean time from the first unanswered incoming message of the period to the first message ' +
        'of a person.',
    },
  },
  timeline: {
    sent: { unit: 'messages', text: 'Messages that the platform accepted.' },
    received: { unit: 'messages', text: 'Incoming messages.' },
    delivered: { unit: 'messages', text: 'Messages sent then that were delivered since.' },
    read: { unit: 'messages', text: 'Messages sent then that were read since.' },
    failed: { unit: 'messages', text: 'Messages sent or created then that failed.' },
  },
} as const
