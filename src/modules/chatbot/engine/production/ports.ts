import { and, eq, gt, max, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { fixedLimit, opaqueParam } from '../../../../infra/db/opaque-param'
import type { Tx } from '../../../../infra/db/transact'
import { uuidPlaceholder } from '../../../../infra/db/uuid'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { businessHoursAt } from '../../../chatbot-settings/hours/queries'
import { findContact } from '../../../contacts/service'
import { stateChange } from '../../../conversations/change-state'
import { findConversation } from '../../../conversations/service'
import { currentThreadOwner, holdsBackAutomaticMessages } from '../../../conversations/thread-owner'
import { changeConversationIn } from '../../../conversations/update'
import { isWindowOpen } from '../../../conversations/window'
import {
  checkAutomatically,
  sendAutomaticallyIn,
} from '../../../messages/outbound/send-automatically'
import { messages } from '../../../messages/table'
import { createTransferIn } from '../../../transfers/create'
import { findActiveTransfer } from '../../../transfers/find'
import { transfers } from '../../../transfers/table'
import { AskBotAi, MakeBotCall, RunBotStep } from '../../jobs'
import { recordHitIn } from '../../keywords/record-hit'
import type { BotContact, Ports } from '../ports'
import { readingPorts } from '../reading-ports'
import { botMarks } from '../table'
import { reserveQuestionIn } from './ask-provider'
import { contactOf } from './bot-contact'
import { asChatbot, assignIn, changeTagsIn, updateContactIn } from './contact-effects'
import { botKey, callKey } from './inbox'
import { loopReasonOf, watchForLoopIn } from './loop-guard'
import { addSentIn, saveSessionIn, saveTraceIn, type Place, type SessionRow } from './store'
import { orderWebhookIn } from './webhook-orders'

/** Where a run takes place, and the session that it read. */
export interface ProductionRun {
  place: Place
  before: SessionRow | null
}

/** Returns the ports of the engine on a transaction. */
export function productionPorts(tx: Tx, ctx: Ctx, { place, before }: ProductionRun): Ports {
  const { contactId, accountId } = place
  const nowMs = (): number => ctx.clock.nowMs()
  const reading = readingPorts(ctx, { accountId, nowMs })
  const read = (): BotContact => contactOf(ctx, findContact(ctx, contactId))
  let contact = read()
  let stored = before?.status ?? null
  return {
    ...reading,
    // Later nodes see what earlier ones changed.
    get contact() {
      return contact
    },
    silenceReason: () => silenceReasonOf(ctx, place, reading.settings.human_takeover_minutes),
    isWindowOpen: () => isWindowOpen(findConversation(ctx, place), nowMs()),
    ...sendingPorts(tx, ctx, place),
    transfer: (transfer) => void createTransferIn(tx, ctx, { ...place, ...transfer }),
    markOutOfHours: () => markOutOfHoursIn(tx, ctx, place),
    countHit: (hit) => recordHitIn(tx, ctx, { ...hit, accountId }),
    updateContact: (update) => {
      const outcome = updateContactIn(tx, ctx, contactId, update)
      contact = read()
      return outcome
    },
    changeTags: (change) => {
      changeTagsIn(tx, ctx, contactId, change)
      contact = read()
    },
    assign: (to) => assignIn(tx, ctx, place, to),
    ...jobPorts(tx, ctx, { place, language: () => contact.language }),
    saveSession: (session) => {
      saveSessionIn(tx, ctx, session, { place, before: stored })
      stored = session.status
    },
    saveTrace: (session, rows) =>
      saveTraceIn(tx, ctx, { contactId, sessionId: session?.id ?? null }, rows),
    addSent: ({ id }, seqs, messageId) => addSentIn(tx, ctx, { sessionId: id, seqs, messageId }),
    setConversation: (state, { isOnlyIfPending }) => {
      const conversation = findConversation(ctx, place)
      if (!conversation || conversation.state === state) return
      if (isOnlyIfPending && conversation.state !== 'pending') return
      changeConversationIn(tx, asChatbot(ctx), conversation, stateChange(ctx, conversation, state))
    },
  }
}

/** The ports that send messages. */
function sendingPorts(tx: Tx, ctx: Ctx, place: Place): Pick<Ports, 'refusalOf' | 'send'> {
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
  { place, language }: { place: Place; language: () => string | null },
): Pick<Ports, 'startCall' | 'continueAt' | 'sendWebhook'> {
  return {
    startCall: (session, call, turn) => {
      const prompt = call.subject['prompt'] ?? ''
      const asked = { place, session, turn, prompt, language: language() }
      const started = call.kind === 'ai' ? reserveQuestionIn(tx, ctx, asked) : { reservation: null }
      if ('refusal' in started) return started
      enqueue(tx, ctx, call.kind === 'ai' ? AskBotAi : MakeBotCall, {
        args: { sessionId: session.id, step: call.key },
        orderingKey: callKey(session.id),
      })
      return started
    },
    continueAt: (session, atMs) =>
      void enqueue(tx, ctx, RunBotStep, {
        args: { sessionId: session.id, step: session.steps },
        orderingKey: botKey(place.contactId),
        ...(atMs === null ? {} : { runAtMs: atMs }),
      }),
    sendWebhook: (session, order) => orderWebhookIn(tx, ctx, session, order),
  }
}

/** Stands for the end of closed hours that do not end. Such a mark is never pruned. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/** Marks the closed hours of now for a contact. Returns `false` if they are marked already. */
function markOutOfHoursIn(tx: Tx, ctx: Ctx, { contactId, accountId }: Place): boolean {
  const { opensAtMs } = businessHoursAt(ctx, accountId, ctx.clock.nowMs())
  const marked = tx
    .insert(botMarks)
    .values({
      organizationId: ctx.organizationId,
      contactId,
      kind: 'out_of_hours',
      atMs: opensAtMs ?? NEVER_MS,
    })
    .onConflictDoNothing()
    .returning({ atMs: botMarks.atMs })
    .all()
  return marked.length > 0
}

/** Returns why nothing automatic may answer a contact on a number, or on any, now; or `null`. */
export function silenceReasonOf(
  ctx: Ctx,
  place: { contactId: string; accountId: string | null },
  takeoverMinutes: number,
): string | null {
  const gone = unreachableReason(ctx, place.contactId)
  if (gone !== null) return gone
  if (findActiveTransfer(ctx, place.contactId)) return 'transfer_active'
  const sinceMs = Math.max(
    ctx.clock.nowMs() - takeoverMinutes * MINUTE_MS,
    // The end of a transfer gives the contact back to the bot.
    lastTransferEndMs(ctx, place.contactId),
  )
  if (hasPersonWrittenSince(ctx, place.contactId, sinceMs)) return 'person_wrote'
  const { contactId, accountId } = place
  const conversation = accountId === null ? null : findConversation(ctx, { contactId, accountId })
  if (conversation && holdsBackAutomaticMessages(currentThreadOwner(ctx, conversation)))
    return 'not_owner'
  return loopReasonOf(ctx, place.contactId)
}

/** Returns why the bot must not write to a contact at all, or `null`. */
export function unreachableReason(ctx: Ctx, contactId: string): string | null {
  const contact = findContact(ctx, contactId)
  if (!contact || contact.deletedAtMs !== null) return 'contact_deleted'
  return contact.blockedAtMs === null ? null : 'contact_blocked'
}

const lastTransferEnd = compiled((orm) =>
  orm
    .select({ atMs: max(transfers.endedAtMs) })
    .from(transfers)
    .where(
      inOrganization(anyScope, transfers, eq(transfers.contactId, uuidPlaceholder('contactId'))),
    )
    .prepare(),
)

/** Returns when the last transfer of a contact ended, or 0. */
const lastTransferEndMs = ({ db, organizationId }: Ctx, contactId: string): number =>
  lastTransferEnd(db).get({ organizationId, contactId })?.atMs ?? 0

const ofPersonSince = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, uuidPlaceholder('contactId')),
          gt(messages.timestampMs, opaqueParam('sinceMs')),
          sql`${messages.source} in ('agent', 'phone_app')`,
        ),
      ),
    )
    .limit(fixedLimit(1))
    .prepare(),
)

/** Whether a person wrote to a contact after a time, from the console or from the phone app. */
const hasPersonWrittenSince = (
  { db, organizationId }: Ctx,
  contactId: string,
  sinceMs: number,
): boolean => ofPersonSince(db).get({ organizationId, contactId, sinceMs }) !== undefined
