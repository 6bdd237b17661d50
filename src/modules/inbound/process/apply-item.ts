import type { Ctx } from '../../../infra/ctx'
import { isStorageError } from '../../../infra/db/errors'
import { savepoint, type Tx } from '../../../infra/db/transact'
import { HOUR_MS } from '../../../lib/clock'
import { plausibleTime } from '../../../platform/platform-time'
import type { Preference } from '../../../platform/webhook/coexistence'
import { classify, describePlatformError } from '../../../platform/client/errors'
import type { Fault, ReadChange } from '../../../platform/webhook/body'
import type { InboundMessage } from '../../../platform/webhook/messages'
import { announceIn } from '../../accounts/apply-webhook'
import { recordAccountErrorIn } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { applyAddressBookNameIn } from '../../contacts/apply-address-book'
import { appendConsentIn } from '../../contacts/consent/ledger'
import { applyFlowWebhookIn } from '../../flows/apply-webhook'
import type { InboundItem } from '../../messages/inbound/item'
import { receiveIn } from '../../messages/inbound/receive'
import { applyStatusIn } from '../../messages/status/apply'
import { applyTemplateWebhookIn } from '../../templates/apply-webhook'
import type { Item } from './items'
import { findOrCreateSenderIn } from '../../contacts/sender'

/**
 * What became of an item that did not simply take effect. `waiting` and `parked`: kept until the
 * message it is about is known; `orphan`: it never was.
 */
export interface Outcome {
  kind: Item['kind']
  index: number
  outcome: 'duplicate' | 'parked' | 'orphan' | 'upgraded' | 'no_effect' | 'failed'
  reason?: string
  /** So many further items of this kind came to the same and are not told one by one. */
  more?: number
}

/**
 * Where items come from: the change they stand in, and the accounts of one organization it is for.
 */
export interface Source {
  change: ReadChange
  accounts: [AccountRow, ...AccountRow[]]
  receivedAtMs: number
  /** Whether the change is worked off once more. */
  isReplay: boolean
}

/**
 * One item in a savepoint of its own. `null`: it simply took effect. Trouble of the storage is not
 * the item's fault and goes on up.
 */
export function processItemIn(tx: Tx, ctx: Ctx, source: Source, item: Item): Outcome | null {
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

type Result = Pick<Outcome, 'outcome' | 'reason'> | null

function applyIn(tx: Tx, ctx: Ctx, source: Source, { told }: Item): Result {
  const [account] = source.accounts
  const { receivedAtMs } = source
  switch (told.of) {
    case 'broken':
      return { outcome: 'failed', reason: told.reason }
    case 'erased':
      return { outcome: 'no_effect', reason: 'erased' }
    case 'message':
      return receive(
        tx,
        ctx,
        itemOf(ctx, source, told.message, { direction: 'incoming', isPast: false }),
      )
    case 'echo':
      return receive(
        tx,
        ctx,
        itemOf(ctx, source, told.message, { direction: 'outgoing', isPast: false }),
      )
    case 'past': {
      const { message, direction, status } = told.past
      return receive(tx, ctx, {
        ...itemOf(ctx, source, message, { direction, isPast: true }),
        pastStatus: status,
      })
    }
    case 'status': {
      const receipt = applyStatusIn(tx, ctx, { account, status: told.status, receivedAtMs })
      return receipt.outcome === 'applied' ? null : { outcome: 'parked' }
    }
    case 'error':
      return recordErrorIn(tx, ctx, account, told.fault)
    case 'name': {
      const { sender, name, timestampMs } = told.name
      const atMs = plausibleTime(timestampMs, receivedAtMs)
      applyAddressBookNameIn(
        tx,
        ctx,
        { ...sender, phone: sender.from },
        { name, accountId: account.id, atMs },
      )
      return null
    }
    case 'preference':
      return preferIn(tx, ctx, source, told.preference)
    case 'flow': {
      const { value, entryTime } = source.change
      return applyFlowWebhookIn(tx, ctx, account, value, plausibleTime(entryTime, receivedAtMs))
        ? null
        : { outcome: 'no_effect' }
    }
    case 'template': {
      const { field, value, entryTime } = source.change
      const told = { field: field ?? '', value, atMs: plausibleTime(entryTime, receivedAtMs) }
      return applyTemplateWebhookIn(tx, ctx, account, told) ? null : { outcome: 'no_effect' }
    }
    case 'news': {
      const { field, value, entryTime } = source.change
      for (const each of source.accounts)
        announceIn(tx, ctx, each, field ?? '', value, plausibleTime(entryTime, receivedAtMs))
      return null
    }
  }
}

/**
 * Worked off once more so long after it happened, an item is shown and nothing acts on it any more,
 * milliseconds.
 */
const LATE_MS = HOUR_MS

function itemOf(
  ctx: Ctx,
  source: Source,
  message: InboundMessage,
  as: Pick<InboundItem, 'direction' | 'isPast'>,
): InboundItem {
  const { accounts, receivedAtMs, isReplay } = source
  const saidAtMs = plausibleTime(message.timestampMs, receivedAtMs)
  return {
    account: accounts[0],
    message,
    receivedAtMs,
    isLate: isReplay && saidAtMs < ctx.clock.nowMs() - LATE_MS,
    ...as,
  }
}

function receive(tx: Tx, ctx: Ctx, item: InboundItem): Result {
  const { outcome } = receiveIn(tx, ctx, item)
  return outcome === 'stored' || outcome === 'applied' ? null : { outcome }
}

/** The number sends faster than the platform takes from it (platform documentation). */
const TOO_FAST_CODE = 130_429

function recordErrorIn(tx: Tx, ctx: Ctx, account: AccountRow, { code }: Fault): null {
  const words = describePlatformError(
    code,
    code === null ? 'other' : classify({ code, subcode: null, httpStatus: null }),
  )
  if (code === TOO_FAST_CODE) ctx.rateLimiter.slowDown(account, ctx.clock.nowMs(), null)
  recordAccountErrorIn(tx, ctx, account, { code: words.code, message: words.message })
  return null
}

const WISHES: Readonly<Record<string, 'opted_out' | 'opted_in'>> = {
  stop: 'opted_out',
  resume: 'opted_in',
}

/**
 * A customer's wish about marketing messages goes to the ledger of consent; who is not known yet
 * becomes a contact.
 */
function preferIn(tx: Tx, ctx: Ctx, { accounts, receivedAtMs }: Source, wish: Preference): Result {
  const account =
    wish.phoneNumberId === null
      ? accounts[0]
      : accounts.find(({ phoneId }) => phoneId === wish.phoneNumberId)
  if (!account) return { outcome: 'no_effect', reason: 'other_number' }
  const state = WISHES[wish.value.toLowerCase()]
  if (state === undefined || (wish.category !== null && wish.category !== 'marketing_messages'))
    return { outcome: 'no_effect' }
  const { from: phone, userId, parentUserId } = wish.sender
  const contact = findOrCreateSenderIn(
    tx,
    ctx,
    { phone, userId, parentUserId, profileName: null, username: null },
    { accountId: account.id, source: 'inbound', atMs: -1 },
  )
  const atMs = plausibleTime(wish.timestampMs, receivedAtMs)
  appendConsentIn(tx, ctx, {
    contactId: contact.id,
    state,
    source: 'platform',
    evidence: wish.detail,
    atMs,
  })
  return null
}
