import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Attempts of jobs that only a bug of this server, or being killed, makes fail. */
const MAX_ATTEMPTS = 5

const Step = Type.Object({ sessionId: Type.String(), step: Type.Integer() })

/** Answers the messages of a contact on a number that wait for the bot, as one turn. */
export const RunBotTurn = job(
  'chatbot.turn',
  Type.Object({ contactId: Type.String(), accountId: Type.String() }),
  { queue: 'default', priority: 'high', maxAttempts: MAX_ATTEMPTS },
)

/** Continues a session: after a call or a time, or where other work had its turn. */
export const RunBotStep = job('chatbot.step', Step, {
  queue: 'default',
  priority: 'high',
  maxAttempts: MAX_ATTEMPTS,
})

/** Makes the call that a session waits for. */
export const MakeBotCall = job('chatbot.call', Step, {
  queue: 'default',
  maxAttempts: MAX_ATTEMPTS,
})

/** Asks the AI provider for the answer that a session waits for. */
export const AskBotAi = job('chatbot.ask-ai', Step, {
  queue: 'ai',
  // A provider that fails is a result. Only a process that ends during a call takes an attempt.
  maxAttempts: 12,
})

/** Shows the customer that the bot is typing while a turn goes on. */
export const ShowBotTyping = job('chatbot.typing', Type.Object({ sessionId: Type.String() }), {
  queue: 'default',
  maxAttempts: 1,
})

/** Sends a webhook of a bot flow. */
export const SendBotWebhook = job(
  'chatbot.webhook',
  Type.Object({
    sessionId: Type.String(),
    flowId: Type.String(),
    flowVersion: Type.Integer(),
    nodeId: Type.Union([Type.String(), Type.Null()]),
    key: Type.String(),
  }),
  { queue: 'default', maxAttempts: 8 },
)

/** Ends sessions whose customer was silent, and looks after what the bot left behind. */
export const SweepBot = job('chatbot.sweep', Type.Object({}), { queue: 'default' })

/** Deletes traces and marks that are kept long enough. */
export const PruneBotTrace = job('chatbot.prune', Type.Object({}), { queue: 'default' })
