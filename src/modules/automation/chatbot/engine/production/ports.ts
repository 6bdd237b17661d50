import { LAST_MS } from '../../../../../lib/clock'
import type { Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { botContact } from '../../../../inbox/contacts/texts/bot-contact'
import { businessHoursAt } from '../../../chatbot-settings/hours/queries'
import { findContact } from '../../../../inbox/contacts/service'
import type { TemplateContact } from '../../../../inbox/contacts/texts/template-values'
import { stateChange } from '../../../../inbox/conversations/change-state'
import { findConversation } from '../../../../inbox/conversations/service'
import { changeConversationIn } from '../../../../inbox/conversations/update'
import { isWindowOpen } from '../../../../inbox/conversations/window'
import {
  checkAutomatically,
  sendAutomaticallyIn,
} from '../../../../inbox/messages/outbound/send-automatically'
import { createTransferIn } from '../../../transfers/create'
import { findActiveTransfer } from '../../../transfers/find'
import { AskBotAi, MakeBotCall, RunBotStep } from '../../jobs'
import { recordHitIn } from '../../keywords/record-hit'
import type { Session } from '../model'
import type { Ports } from '../ports'
import { readingPorts } from '../reading-ports'
import { botMarks } from '../table'
import { reserveQuestionIn } from './ask-provider'
import { asChatbot, assignIn, changeTagsIn, updateContactIn } from './contact-effects'
import { botKey, callKey } from './inbox'
import { markGreetedIn, wasGreetedSince } from './greeted'
import { loopReasonOf, watchForLoopIn } from './loop-guard'
import { placeConversationIn } from '../../../transfers/place-conversation'
import { reportFailureIn } from './report-failure'
import { silenceReasonOf } from './silence'
import {
  addRefusalIn,
  addSentIn,
  saveSessionIn,
  saveTraceIn,
  type SessionPlace,
  type BotSessionRow,
} from './store'
import { isTyped, typeSoonIn } from './typing'
import { orderWebhookIn } from './webhook-orders'

/** Where a run takes place, and the session that it read. */
export interface ProductionRun {
  place: SessionPlace
  before: BotSessionRow | null
}

/** Returns the ports of the engine on a transaction. */
export function productionPorts(tx: Tx, ctx: Ctx, { place, before }: ProductionRun): Ports {
  const { contactId, accountId } = place
  const nowMs = (): number => ctx.clock.nowMs()
  const reading = readingPorts(ctx, { accountId, nowMs })
  const read = (): TemplateContact => botContact(ctx, findContact(ctx, contactId))
  let contact = read()
  let stored: Pick<Session, 'status' | 'waitingFor'> | null = before
  return {
    ...reading,
    // Later nodes see what earlier ones changed.
    get contact() {
      return contact
    },
    silenceReason: () =>
      silenceReasonOf(ctx, place, { settings: reading.settings, session: before }),
    isWindowOpen: () => isWindowOpen(findConversation(ctx, place), nowMs()),
    ...sendingPorts(tx, ctx, place),
    transfer: (transfer) => void createTransferIn(tx, ctx, { ...place, ...transfer }),
    markOutOfHours: () => markOutOfHoursIn(tx, ctx, place),
    wasGreetedSince: (sinceMs) => wasGreetedSince(ctx, contactId, sinceMs),
    markGreeted: () => markGreetedIn(tx, ctx, contactId),
    reportFailure: (session, told) => reportFailureIn(tx, ctx, session, told),
    countHit: (hit) => recordHitIn(tx, ctx, { ...hit, accountId }),
    updateContact: (update) => {
      const problem = updateContactIn(tx, ctx, contactId, update)
      contact = read()
      return problem
    },
    changeTags: (change) => {
      changeTagsIn(tx, ctx, contactId, change)
      contact = read()
    },
    assign: (to) => assignIn(tx, ctx, place, to),
    ...jobPorts(tx, ctx, place),
    saveSession: (session) => {
      saveSessionIn(tx, ctx, session, { place, before: stored })
      stored = { status: session.status, waitingFor: session.waitingFor }
    },
    saveTrace: (session, rows) =>
      saveTraceIn(tx, ctx, { contactId, sessionId: session?.id ?? null }, rows),
    addSent: ({ id }, seqs, messageId) => addSentIn(tx, ctx, { sessionId: id, seqs, messageId }),
    addRefusal: ({ id }, seqs, reason) => addRefusalIn(tx, ctx, { sessionId: id, seqs, reason }),
    setConversation: (state, { isOnlyIfPending, isLeft }) => {
      const conversation = findConversation(ctx, place)
      if (!conversation) return
      const isHeld = isOnlyIfPending && conversation.state !== 'pending'
      // What waits for a person is open, also while the bot answers.
      const now = findActiveTransfer(ctx, contactId) ? 'open' : state
      if (!isHeld && conversation.state !== now) {
        const change = stateChange(ctx, conversation, now)
        changeConversationIn(tx, asChatbot(ctx), conversation, change)
      }
      if (isLeft) placeConversationIn(tx, ctx, place)
    },
  }
}

/** The ports that send messages. */
function sendingPorts(tx: Tx, ctx: Ctx, place: SessionPlace): Pick<Ports, 'refusalOf' | 'send'> {
  const { contactId } = place
  return {
    refusalOf: (input) =>
      loopReasonOf(ctx, contactId) ??
      checkAutomatically(ctx, { ...place, input, source: 'chatbot' })?.reason ??
      null,
    send: (input, { flowId: botFlowId, aiModel }) => {
      const looping = loopReasonOf(ctx, contactId)
      if (looping !== null) return { refusal: looping }
      const sent = sendAutomaticallyIn(tx, ctx, {
        ...place,
        input,
        source: 'chatbot',
        botFlowId,
        aiModel,
      })
      if ('refusal' in sent) return { refusal: sent.refusal.reason }
      watchForLoopIn(tx, ctx, contactId)
      return { id: sent.message.id }
    },
  }
}

/** The ports that enqueue jobs. */
function jobPorts(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
): Pick<Ports, 'startCall' | 'continueAt' | 'sendWebhook'> {
  return {
    startCall: (session, call, turn) => {
      const prompt = call.subject['prompt'] ?? ''
      const asked = { place, session, turn, prompt }
      const started = call.kind === 'ai' ? reserveQuestionIn(tx, ctx, asked) : { reservation: null }
      if ('refusal' in started) return started
      enqueue(tx, ctx, call.kind === 'ai' ? AskBotAi : MakeBotCall, {
        args: { sessionId: session.id, step: call.key },
        orderingKey: callKey(session.id),
      })
      typeSoonIn(tx, ctx, session)
      return started
    },
    continueAt: (session, atMs) => {
      enqueue(tx, ctx, RunBotStep, {
        args: { sessionId: session.id, step: session.steps },
        orderingKey: botKey(place.contactId),
        ...(atMs === null ? {} : { runAtMs: atMs }),
      })
      const nowMs = ctx.clock.nowMs()
      if (isTyped(nowMs, atMs ?? nowMs)) typeSoonIn(tx, ctx, session)
    },
    sendWebhook: (session, order) => orderWebhookIn(tx, ctx, session, order),
  }
}

/**
 * Marks the closed hours of now for a contact. Returns `false` if they are marked already. The mark
 * of hours that do not end is never pruned.
 */
function markOutOfHoursIn(tx: Tx, ctx: Ctx, { contactId, accountId }: SessionPlace): boolean {
  const { opensAtMs } = businessHoursAt(ctx, accountId, ctx.clock.nowMs())
  const marked = tx
    .insert(botMarks)
    .values({
      organizationId: ctx.organizationId,
      contactId,
      kind: 'out_of_hours',
      atMs: opensAtMs ?? LAST_MS,
    })
    .onConflictDoNothing()
    .returning({ atMs: botMarks.atMs })
    .all()
  return marked.length > 0
}
