import type { Ctx } from '../infra/ctx'
import { transact, type Tx } from '../infra/db/transact'
import { SECOND_MS } from '../lib/clock'
import { readMessages } from '../platform/webhook/messages'
import { readStatuses } from '../platform/webhook/statuses'
import { getAccount } from '../modules/channel/accounts/queries'
import type { AccountRow } from '../modules/channel/accounts/view'
import { findActiveTransfer } from '../modules/automation/transfers/find'
import { resumeIn } from '../modules/automation/transfers/end'
import { takeIn } from '../modules/automation/transfers/pick-up'
import { createContactsIn } from '../modules/inbox/contacts/write/create-many'
import { stateChange } from '../modules/inbox/conversations/change-state'
import { findOrOpenConversationIn } from '../modules/inbox/conversations/service'
import { changeConversationIn } from '../modules/inbox/conversations/update'
import { setUnreadIn } from '../modules/inbox/conversations/unread'
import { parseMessage } from '../modules/inbox/messages/compose/input'
import {
  markRowsReadIn,
  unreadMessagesIn,
} from '../modules/inbox/messages/conversation/unread-messages'
import { receiveIn } from '../modules/inbox/messages/inbound/receive'
import { NO_ATTACHED_FILES } from '../modules/inbox/messages/outbound/attached-files'
import { beginAttempt } from '../modules/inbox/messages/outbound/attempts'
import { createMessageIn } from '../modules/inbox/messages/outbound/create'
import { setDeliveryState } from '../modules/inbox/messages/outbound/delivery-state'
import { recordAcceptedIn } from '../modules/inbox/messages/outbound/record-accepted'
import { applyStatusIn } from '../modules/inbox/messages/status/apply'
import {
  newMessageId,
  statusChange,
  textMessage,
  type About,
  type Webhook,
} from '../simulator/payloads'
import type { Business } from './business'
import { memberCtx, NEWSLETTER, type Shop } from './furnish'
import type { Person } from './people'
import { placeOf, SHARE_READ, type Spoken, type Stage } from './stage'

/**
 * Lets all lines of a day be said in one transaction: by the same verbs as always, without the way
 * over the network and without a job for each message, which would take five times as long. For the
 * days on which there was no bot to listen.
 */
export function sayInOneGo(stage: Stage, lines: readonly Spoken[]): void {
  const { clock, program } = stage.past
  transact(program.http.db, (tx) => {
    for (const spoken of lines) {
      clock.moveTo(spoken.atMs)
      const ctx = memberCtx(stage.past, spoken.shop, spoken.member)
      const account = getAccount(ctx, spoken.shop.accountId)
      if (spoken.line.isCustomer) hearIn(tx, ctx, spoken, account)
      else answerIn(tx, ctx, spoken, { account, stage })
      if (spoken.isLast) finishIn(tx, ctx, spoken)
    }
  })
}

const valueOf = ({ entry }: Webhook): unknown => entry[0]?.changes[0]?.value

/** Returns what the webhooks of a customer say about number, person and time. */
const aboutOf = ({ phone }: Business, person: Person, nowMs: number): About => ({
  line: {
    wabaId: phone.wabaId,
    phoneNumberId: phone.id,
    displayPhoneNumber: phone.display.replaceAll(/\D/g, ''),
  },
  person: { waId: person.waId, userId: undefined, name: person.name, username: undefined },
  timestamp: Math.floor(nowMs / SECOND_MS),
})

function hearIn(tx: Tx, ctx: Ctx, { shop, person, line }: Spoken, account: AccountRow): void {
  const receivedAtMs = ctx.clock.nowMs()
  const about = { ...aboutOf(shop.business, person, receivedAtMs), id: newMessageId() }
  for (const message of readMessages(valueOf(textMessage(line.text, about)))) {
    if ('broken' in message) throw new Error(`a message of ${person.name} is ${message.broken}`)
    const kind = { isPast: false, isObserved: false, isLate: false }
    receiveIn(tx, ctx, { account, message, direction: 'incoming', receivedAtMs, ...kind })
  }
}

/** A member answers; the platform accepts the answer and reports what becomes of it. */
function answerIn(
  tx: Tx,
  ctx: Ctx,
  { shop, person, line }: Spoken,
  { account, stage }: { account: AccountRow; stage: Stage },
): void {
  const { accountId, business } = shop
  const { contactId, conversation } = placeOf(ctx, shop, person)
  const transfer = findActiveTransfer(ctx, contactId)
  if (transfer?.agentId === null) takeIn(tx, ctx, transfer)
  const unread = unreadMessagesIn(tx, ctx, conversation, null)
  markRowsReadIn(
    tx,
    ctx,
    unread.map((message) => message.row),
  )
  setUnreadIn(tx, ctx, conversation, 0)
  const row = createMessageIn(tx, ctx, {
    parsed: parseMessage(ctx, { type: 'text', text: line.text }),
    target: { recipient: { contactId }, accountId, file: null },
    stored: NO_ATTACHED_FILES,
    clientRef: null,
    hasJob: true,
  })
  const waMessageId = newMessageId()
  beginAttempt(tx, ctx, { messageId: row.id, path: 'messages' })
  setDeliveryState(tx, ctx, row, 'sending')
  recordAcceptedIn(tx, ctx, {
    row,
    account,
    receipt: { waMessageId, waId: person.waId, userId: null, messageStatus: null },
  })
  const names = ['sent', 'delivered', ...(stage.random() < SHARE_READ ? ['read'] : [])]
  for (const name of names) {
    stage.past.clock.moveTo(ctx.clock.nowMs() + SECOND_MS)
    const receivedAtMs = ctx.clock.nowMs()
    const facts = name === 'read' ? {} : { pricing: FREE }
    const webhook = statusChange(waMessageId, name, facts, aboutOf(business, person, receivedAtMs))
    for (const status of readStatuses(valueOf(webhook)))
      if ('waMessageId' in status) applyStatusIn(tx, ctx, { account, status, receivedAtMs })
  }
}

/** The member is done with the customer. */
function finishIn(tx: Tx, ctx: Ctx, { shop, person }: Spoken): void {
  const transfer = findActiveTransfer(ctx, placeOf(ctx, shop, person).contactId)
  if (transfer) resumeIn(tx, ctx, transfer, {})
}

/**
 * Enters people of a list who have never written: contacts with a tag and a consent, whose
 * conversations are closed until they write.
 */
export function addSubscribers(stage: Stage, shop: Shop, people: readonly Person[]): void {
  const ctx = memberCtx(stage.past, shop, 0)
  const { accountId } = shop
  const tagIds = [shop.tagIds.get(NEWSLETTER) ?? '']
  transact(ctx.db, (tx) => {
    for (const { name, waId } of people) {
      const contactId = createContactsIn(
        tx,
        ctx,
        {
          ids: { phone: waId, userId: null, parentUserId: null },
          texts: { name },
          assignedTo: undefined,
          attributes: {},
          tagIds,
          consent: 'opted_in',
        },
        { accountId, source: 'import' },
      )
      const at = { contactId, accountId, assignedTo: null }
      const conversation = findOrOpenConversationIn(tx, ctx, at)
      changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'closed'))
    }
  })
}

/** An answer within 24 hours costs nothing. */
const FREE = {
  billable: false,
  pricing_model: 'PMP',
  type: 'free_customer_service',
  category: 'service',
}
