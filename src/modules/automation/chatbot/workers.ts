import { HOUR_MS, SECOND_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work, workInTransaction } from '../../../infra/jobs/work'
import { failedCall, makeCall, storeResultIn } from './engine/production/calls'
import { abandonSessionIn, abandonTurnIn } from './engine/production/abandon'
import { pruneBotDataIn, sweepBotIn } from './engine/production/sweep'
import { showBotTypingIn } from './engine/production/typing'
import { sendBotWebhook } from './engine/production/webhooks'
import { answerTurnIn, continueSessionIn } from './engine/production/work'
import {
  AskBotAi,
  MakeBotCall,
  PruneBotTrace,
  RunBotStep,
  RunBotTurn,
  SendBotWebhook,
  ShowBotTyping,
  SweepBot,
} from './jobs'

export const chatbotWorkers = [
  workInTransaction(RunBotTurn, answerTurnIn, { isKept: false, whenDiscarded: abandonTurnIn }),

  workInTransaction(RunBotStep, continueSessionIn, {
    isKept: false,
    whenDiscarded: (tx, ctx, { sessionId }) => abandonSessionIn(tx, ctx, sessionId),
  }),

  work(MakeBotCall, makeCall, {
    timeoutMs: 60 * SECOND_MS,
    whenDiscarded: (tx, ctx, at) => storeResultIn(tx, ctx, at, failedCall('call_failed')),
  }),

  work(AskBotAi, makeCall, {
    timeoutMs: 120 * SECOND_MS,
    whenDiscarded: (tx, ctx, at) => storeResultIn(tx, ctx, at, failedCall('call_failed')),
  }),

  workInTransaction(ShowBotTyping, showBotTypingIn, { isKept: false }),

  work(SendBotWebhook, sendBotWebhook, { timeoutMs: 30 * SECOND_MS }),

  workInTransaction(SweepBot, (tx, ctx) => (sweepBotIn(tx, ctx) ? { snoozeMs: 1 } : undefined), {
    isKept: false,
  }),

  workInTransaction(
    PruneBotTrace,
    (tx, ctx) => (pruneBotDataIn(tx, ctx) ? { snoozeMs: 1 } : undefined),
    { isKept: false },
  ),
]

export const chatbotSchedules = [
  defineSchedule(30 * SECOND_MS, SweepBot),
  defineSchedule(HOUR_MS, PruneBotTrace),
]
