import type { Ctx } from '../../../../infra/ctx'
import { isStorageError } from '../../../../infra/db/errors'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { HOUR_MS } from '../../../../lib/clock'
import { plausibleTime } from '../../../../platform/platform-time'
import type { AddressBookEntry, Preference } from '../../../../platform/webhook/coexistence'
import { classify, describePlatformError } from '../../../../platform/client/errors'
import type { Fault, ReadChange } from '../../../../platform/webhook/body'
import type { CallReport } from '../../../../platform/webhook/calls'
import type { InboundMessage } from '../../../../platform/webhook/messages'
import { applyAccountWebhookIn } from '../../accounts/apply-webhook'
import { recordHistoryIn } from '../../accounts/phone-app/record-history'
import { recordAccountErrorIn } from '../../accounts/record-activity'
import type { AccountRow } from '../../accounts/view'
import { applyAddressBookNameIn } from '../../../inbox/contacts/identities/apply-address-book'
import { appendConsentIn } from '../../../inbox/contacts/consent/ledger'
import { applyFlowWebhookIn } from '../../flows/apply-webhook'
import { noteOfHandover } from '../../../../platform/webhook/handover-note'
import type { Handover } from '../../../../platform/webhook/standby'
import { applyUserIdUpdateIn } from '../../../inbox/messages/inbound/contact'
import { applyHandoverIn } from '../../../inbox/messages/inbound/handover'
import { receiveHandoverNoteIn } from '../../../inbox/messages/inbound/handover-note'
import type { InboundItem, Receipt } from '../../../inbox/messages/inbound/item'
import { receiveIn } from '../../../inbox/messages/inbound/receive'
import { applyStatusIn } from '../../../inbox/messages/status/apply'
import { applyTemplateWebhookIn } from '../../templates/apply-webhook'
import { applyCallIn } from './apply-call'
import type { Item } from './items'
import { findOrCreateSenderIn } from '../../../inbox/contacts/identities/sender'

/**
 * The result of an item that was not simply applied. `parked`: stored until its message arrives;
 * `orphan`: its message never arrived.
 */
export interface ItemOutcome {
  kind: Item['kind']
  index: number
  outcome: 'duplicate' | 'parked' | 'orphan' | 'upgraded' | 'no_effect' | 'failed'
  reason?: string
  /** Number of further items of this kind with the same outcome that are not listed. */
  more?: number
}

/** The change that contains the items, and the accounts of one organization it is for. */
export interface ItemSource {
  change: ReadChange
  accounts: [AccountRow, ...AccountRow[]]
  receivedAtMs: number
  /** Whether the change is replayed or was passed on by another cell, and may be old. */
  isDelayed: boolean
}

/**
 * Applies one item in its own savepoint. Returns `null` if it was applied. Throws storage errors,
 * because they are not caused by the item.
 */
export function processItemIn(
  tx: Tx,
  ctx: Ctx,
  source: ItemSource,
  item: Item,
): ItemOutcome | null {
  const { kind, index } = item
  try {
    const outcome = savepoint(tx, (inner) => applyIn(inner, ctx, source, item))
    return outcome === null ? null : { kind, index, ...outcome }
  } catch (error) {
    if (isStorageError(error)) throw error
    ctx.log.error(
      { error, organization_id: ctx.organizationId, kind, index },
      'inbound item failed',
    )
    return {
      kind,
      index,
      outcome: 'failed',
      reason: error instanceof Error ? error.message.slice(0, 200) : 'failed',
    }
  }
}

type Result = Pick<ItemOutcome, 'outcome' | 'reason'> | null

function applyIn(tx: Tx, ctx: Ctx, source: ItemSource, { content }: Item): Result {
  const [account] = source.accounts
  const { receivedAtMs } = source
  switch (content.of) {
    case 'broken':
      return { outcome: 'failed', reason: content.reason }
    case 'erased':
      return { outcome: 'no_effect', reason: 'erased' }
    case 'message':
    case 'echo': {
      const direction = content.of === 'message' ? 'incoming' : 'outgoing'
      const { message, isObserved } = content
      return receive(
        tx,
        ctx,
        itemOf(ctx, source, message, { direction, isPast: false, isObserved }),
      )
    }
    case 'past': {
      const { message, direction, status } = content.past
      return receive(tx, ctx, {
        ...itemOf(ctx, source, message, { direction, isPast: true, isObserved: false }),
        pastStatus: status,
      })
    }
    case 'history':
      recordHistoryIn(tx, ctx, account, content.report)
      return null
    case 'status': {
      const receipt = applyStatusIn(tx, ctx, { account, status: content.status, receivedAtMs })
      return receipt.outcome === 'applied' ? null : { outcome: 'parked' }
    }
    case 'call':
      return recordReportIn(tx, ctx, source, content.report)
    case 'error':
      return recordErrorIn(tx, ctx, account, content.fault)
    case 'name':
      return applyName(tx, ctx, source, content.name)
    case 'user_id':
      return applyUserIdUpdateIn(tx, ctx, content.update, account.id)
        ? null
        : { outcome: 'no_effect', reason: 'erased' }
    case 'handover':
      return applyHandover(tx, ctx, source, content.handover)
    case 'note':
      return receiveNote(tx, ctx, source, content.message)
    case 'preference':
      return applyPreferenceIn(tx, ctx, source, content.preference)
    case 'flow': {
      const { value, entryTime } = source.change
      return applyFlowWebhookIn(tx, ctx, account, value, plausibleTime(entryTime, receivedAtMs))
        ? null
        : { outcome: 'no_effect' }
    }
    case 'template': {
      const { field, value, entryTime } = source.change
      const input = { field: field ?? '', value, atMs: plausibleTime(entryTime, receivedAtMs) }
      return applyTemplateWebhookIn(tx, ctx, account, input) ? null : { outcome: 'no_effect' }
    }
    case 'account': {
      const { field, value, entryTime } = source.change
      for (const each of source.accounts)
        applyAccountWebhookIn(
          tx,
          ctx,
          each,
          field ?? '',
          value,
          plausibleTime(entryTime, receivedAtMs),
        )
      return null
    }
  }
}

/** Age from which a delayed item is stored without triggering automations, milliseconds. */
const LATE_MS = HOUR_MS

const isLate = (ctx: Ctx, source: ItemSource, timestampMs: number | null): boolean =>
  source.isDelayed && plausibleTime(timestampMs, source.receivedAtMs) < ctx.clock.nowMs() - LATE_MS

function itemOf(
  ctx: Ctx,
  source: ItemSource,
  message: InboundMessage,
  as: Pick<InboundItem, 'direction' | 'isPast' | 'isObserved'>,
): InboundItem {
  return {
    account: source.accounts[0],
    message,
    receivedAtMs: source.receivedAtMs,
    isLate: isLate(ctx, source, message.timestampMs),
    ...as,
  }
}

/** Returns the account of the number that an element of a change names, the first if it names none. */
const accountOf = (
  { accounts }: ItemSource,
  phoneNumberId: string | null,
): AccountRow | undefined =>
  phoneNumberId === null ? accounts[0] : accounts.find(({ phoneId }) => phoneId === phoneNumberId)

function applyName(
  tx: Tx,
  ctx: Ctx,
  { accounts, receivedAtMs }: ItemSource,
  { sender, name, timestampMs }: AddressBookEntry,
): Result {
  const atMs = plausibleTime(timestampMs, receivedAtMs)
  const of = { name, accountId: accounts[0].id, atMs }
  applyAddressBookNameIn(tx, ctx, { ...sender, phone: sender.from }, of)
  return null
}

function applyHandover(tx: Tx, ctx: Ctx, source: ItemSource, handover: Handover): Result {
  const { change, receivedAtMs } = source
  const account = accountOf(source, handover.phoneNumberId)
  if (!account) return { outcome: 'no_effect', reason: 'other_number' }
  const atMs = plausibleTime(handover.timestampMs ?? change.entryTime, receivedAtMs)
  const isQuiet = isLate(ctx, source, atMs)
  const isChange = applyHandoverIn(tx, ctx, { account, handover, atMs, isQuiet })
  const note = noteOfHandover(handover, change.entryTime)
  if (note !== null) return receiveNote(tx, ctx, { ...source, accounts: [account] }, note)
  return isChange ? null : { outcome: 'no_effect' }
}

/** Stores what the former owner of a thread says about it. */
function receiveNote(tx: Tx, ctx: Ctx, source: ItemSource, message: InboundMessage): Result {
  const as = { direction: 'incoming', isPast: false, isObserved: false } as const
  return resultOf(receiveHandoverNoteIn(tx, ctx, itemOf(ctx, source, message, as)))
}

const receive = (tx: Tx, ctx: Ctx, item: InboundItem): Result => resultOf(receiveIn(tx, ctx, item))

function resultOf(receipt: Receipt): Result {
  if (receipt.outcome === 'stored' || receipt.outcome === 'applied') return null
  return receipt.outcome === 'no_effect' ? receipt : { outcome: receipt.outcome }
}

function recordReportIn(tx: Tx, ctx: Ctx, source: ItemSource, report: CallReport): Result {
  const isChange = applyCallIn(tx, ctx, {
    account: source.accounts[0],
    report,
    receivedAtMs: source.receivedAtMs,
    isLate: isLate(ctx, source, report.timestampMs),
  })
  return isChange ? null : { outcome: 'no_effect' }
}

/** Error code of the platform for exceeding the throughput of a phone number. */
const TOO_FAST_CODE = 130_429

function recordErrorIn(tx: Tx, ctx: Ctx, account: AccountRow, { code }: Fault): null {
  const described = describePlatformError(
    code,
    code === null ? 'other' : classify({ code, subcode: null, httpStatus: null }),
  )
  if (code === TOO_FAST_CODE) ctx.rateLimiter.slowDown(account, ctx.clock.nowMs(), null)
  recordAccountErrorIn(tx, ctx, account, { code: described.code, message: described.message })
  return null
}

const CONSENT_BY_PREFERENCE: Readonly<Record<string, 'opted_out' | 'opted_in'>> = {
  stop: 'opted_out',
  resume: 'opted_in',
}

/**
 * Records a customer's marketing preference in the consent ledger. Creates the contact if it does
 * not exist.
 */
function applyPreferenceIn(tx: Tx, ctx: Ctx, source: ItemSource, preference: Preference): Result {
  const { receivedAtMs } = source
  const account = accountOf(source, preference.phoneNumberId)
  if (!account) return { outcome: 'no_effect', reason: 'other_number' }
  const state = CONSENT_BY_PREFERENCE[preference.value.toLowerCase()]
  if (
    state === undefined ||
    (preference.category !== null && preference.category !== 'marketing_messages')
  )
    return { outcome: 'no_effect' }
  const { from: phone, userId, parentUserId } = preference.sender
  const contact = findOrCreateSenderIn(
    tx,
    ctx,
    { phone, userId, parentUserId, profileName: null, username: null },
    { accountId: account.id, source: 'inbound', atMs: -1 },
  )
  const atMs = plausibleTime(preference.timestampMs, receivedAtMs)
  appendConsentIn(tx, ctx, {
    contactId: contact.id,
    state,
    source: 'platform',
    evidence: preference.detail,
    atMs,
  })
  return null
}
