import { isoTime } from '../../../lib/clock'
import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import {
  isObject,
  listOf,
  numberOf,
  objectOf,
  secondsToMs,
  wordOf,
  type JsonObject,
} from '../../../platform/lenient-json'
import { AccountChanged } from './events'
import { CheckAccount } from './jobs'
import { notifyAboutAccountIn, type AccountNotice } from './notify'
import { recordQualityIn } from './quality'
import { accounts } from './table'
import type { AccountRow } from './view'
import { noticeText } from '../../organization/notifications/catalog'

/** The changes a webhook makes to a number, and the notification it causes. */
interface Effect {
  set?: Partial<AccountRow>
  notice?: AccountNotice
  /** Whether to ask the platform for the present state, because the webhook does not contain it. */
  needsCheck?: boolean
}

type Reader = (row: AccountRow, value: JsonObject, atMs: number) => Effect

const READERS: Readonly<Record<string, Reader>> = {
  phone_number_quality_update: readLimit,
  business_capability_update: (_row, value) => limitTo(tierOf(value)),
  phone_number_name_update: readName,
  account_review_update: readReview,
  account_alerts: readAlert,
  security: (_row, value) => ({
    notice: {
      kind: 'account_notice',
      severity: 'warning',
      title: 'Security event',
      body:
        `WhatsApp reported "${wordOf(value.event) ?? 'a change'}" for this number. If ` +
        'nobody in your team did this, check the settings of your business account.',
    },
  }),
  account_settings_update: () => ({}),
  business_username_update: () => ({}),
  account_update: readAccount,
}

/**
 * Applies a webhook about a number or its business account (inbound contract 9). Ignores it if a
 * newer one of the same kind was applied before. Stores the value, so that fields without a column
 * are kept. Runs inside the caller's transaction.
 */
export function applyAccountWebhookIn(
  tx: Tx,
  ctx: Ctx,
  account: AccountRow,
  field: string,
  value: unknown,
  atMs: number,
): void {
  const read = READERS[field]
  const row = tx
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.id, account.id)))
    .get()
  if (!read || !row || !isObject(value)) return
  const stored = JSON.parse(row.platformUpdates) as Record<
    string,
    { at_ms: number; value: unknown } | undefined
  >
  const key = storageKeyOf(field, value)
  if ((stored[key]?.at_ms ?? 0) > atMs) return
  const isRepeat = JSON.stringify(stored[key]) === JSON.stringify({ at_ms: atMs, value })
  const { set = {}, notice, needsCheck = false } = read(row, value, atMs)
  const changed = (Object.keys(set) as (keyof AccountRow)[]).filter(
    (column) => set[column] !== row[column],
  )
  const platformUpdates = JSON.stringify({ ...stored, [key]: { at_ms: atMs, value } })
  tx.update(accounts)
    .set({ ...set, platformUpdates, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  recordQualityIn(tx, ctx, row, { ...row, ...set }, atMs)
  if (changed.length > 0)
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: {
        accountId: row.id,
        changed: changed.map((column) => WIRE_NAMES[column] ?? column),
        isConnected: false,
      },
    })
  if (notice && !isRepeat) notifyAboutAccountIn(tx, ctx, row, notice)
  if (needsCheck && !isRepeat) enqueue(tx, ctx, CheckAccount, { args: { accountId: row.id } })
}

const WIRE_NAMES: Record<string, string> = {
  qualityRating: 'quality_rating',
  messagingLimitTier: 'messaging_limit_tier',
  throughputLevel: 'throughput_level',
  verifiedName: 'verified_name',
  statusReason: 'status_reason',
  restrictedAtMs: 'restricted_since',
  restrictedUntilMs: 'restricted_until',
  marketingStatus: 'marketing_path',
}

/**
 * Returns the key under which a webhook is stored. State events of a business account share the key
 * of the field; its other events have one key each.
 */
const storageKeyOf = (field: string, value: JsonObject): string => {
  const event = field === 'account_update' ? wordOf(value.event) : null
  const isState =
    event !== null && (STOPPED.has(event) || RESTORED.has(event) || event === 'ACCOUNT_RESTRICTION')
  return event === null || isState ? field : `${field}.${event}`
}

/**
 * Returns the messaging limit as the platform names it, such as `TIER_2K`. Converts a number to
 * such a name.
 */
function tierOf(value: JsonObject): string | null {
  const limit =
    value.max_daily_conversations_per_business ??
    value.current_limit ??
    value.max_daily_conversation_per_phone
  const count = numberOf(limit)
  if (count === null) return wordOf(limit)
  if (count < 0) return 'TIER_UNLIMITED'
  return count >= 1_000 ? `TIER_${Math.floor(count / 1_000)}K` : `TIER_${count}`
}

const limitTo = (tier: string | null): Effect =>
  tier === null ? {} : { set: { messagingLimitTier: tier } }

function readLimit(_row: AccountRow, value: JsonObject): Effect {
  const event = wordOf(value.event)
  const limit = limitTo(tierOf(value))
  if (event === 'THROUGHPUT_UPGRADE')
    return { ...limit, set: { ...limit.set, throughputLevel: 'HIGH' } }
  if (event === 'FLAGGED')
    return {
      ...limit,
      set: { ...limit.set, qualityRating: 'RED' },
      notice: {
        kind: 'quality_drop',
        severity: 'warning',
        title: 'Low quality rating',
        text: noticeText('quality_drop'),
        body:
          'Customers are blocking or reporting this number. If this continues, the platform will ' +
          'lower its messaging limit.',
      },
    }
  return event === 'UNFLAGGED' ? { ...limit, needsCheck: true } : limit
}

function readName(_row: AccountRow, value: JsonObject): Effect {
  const name = wordOf(value.requested_verified_name)
  const isApproved = wordOf(value.decision) === 'APPROVED'
  const title = isApproved ? 'Display name approved' : 'Display name not approved'
  const reason = wordOf(value.rejection_reason)
  const body = isApproved
    ? `Customers now see the name "${name ?? ''}".`
    : `WhatsApp’s decision: ${wordOf(value.decision) ?? 'rejected'}${reason === null ? '' : `: ${reason}`}.`
  return {
    ...(isApproved && name !== null ? { set: { verifiedName: name } } : {}),
    notice: {
      ...{ kind: 'account_notice', severity: isApproved ? 'info' : 'warning', title, body },
      text: isApproved
        ? noticeText('display_name_approved', { name: name ?? '' })
        : noticeText('display_name_refused', { ...(reason === null ? {} : { reason }) }),
    },
  }
}

function readReview(_row: AccountRow, value: JsonObject): Effect {
  const decision = wordOf(value.decision) ?? 'unknown'
  const isGood = decision === 'APPROVED'
  return {
    notice: {
      kind: 'account_notice',
      severity: isGood ? 'info' : 'critical',
      title: 'Business account review',
      text: noticeText('account_review', { decision }),
      body: `WhatsApp’s decision: ${decision}.`,
    },
  }
}

const SEVERITIES: Record<string, AccountNotice['severity']> = {
  INFORMATIONAL: 'info',
  WARNING: 'warning',
  CRITICAL: 'critical',
}

function readAlert(_row: AccountRow, value: JsonObject): Effect {
  const alert = isObject(value.alert_info) ? value.alert_info : value
  const words = [wordOf(alert.alert_type), wordOf(alert.alert_description)].filter(
    (word) => word !== null,
  )
  return {
    notice: {
      kind: 'account_notice',
      severity: SEVERITIES[wordOf(alert.alert_severity) ?? ''] ?? 'warning',
      title: 'Platform alert',
      body: words.join(': ') || 'WhatsApp gave no details.',
    },
  }
}

/** Events that stop sending, and the events that lift them. */
const STOPPED = new Set([
  'DISABLED_UPDATE',
  'ACCOUNT_DELETED',
  'ACCOUNT_OFFBOARDED',
  'PARTNER_REMOVED',
])
const RESTORED = new Set(['ACCOUNT_RECONNECTED'])

function readAccount(row: AccountRow, value: JsonObject, atMs: number): Effect {
  const event = wordOf(value.event) ?? ''
  const isReinstated =
    event === 'DISABLED_UPDATE' && wordOf(objectOf(value.ban_info).waba_ban_state) === 'REINSTATE'
  if (RESTORED.has(event) || isReinstated)
    return {
      set: {
        restrictedAtMs: null,
        restrictedUntilMs: null,
        ...(row.status === 'suspended'
          ? { status: 'active', statusReason: null, lastError: null, lastErrorAtMs: null }
          : {}),
      },
      notice: {
        kind: 'account_notice',
        severity: 'info',
        title: 'Business account can send again',
        text: noticeText('account_restored'),
        body: 'WhatsApp has lifted the restriction. Held messages are sent now.',
      },
    }
  if (STOPPED.has(event))
    return {
      set: { status: 'suspended', statusReason: event.toLowerCase() },
      notice: {
        kind: 'account_suspended',
        severity: 'critical',
        title: 'Phone number suspended',
        text: noticeText('number_stopped', { event }),
        body:
          `WhatsApp reported ${event}. Nothing is sent from this number until this is ` +
          'resolved.',
      },
    }
  if (event === 'ACCOUNT_RESTRICTION') return readRestriction(value, atMs)
  if (event === 'MM_LITE_TERMS_SIGNED')
    return {
      set: { marketingStatus: 'onboarded' },
      notice: {
        kind: 'account_notice',
        severity: 'info',
        title: 'Terms of marketing messages accepted',
        text: noticeText('marketing_terms'),
        body: 'WhatsApp now sends marketing templates of this number as marketing messages.',
      },
    }
  return {
    notice: {
      kind: 'account_notice',
      severity: 'info',
      title: 'Business account update',
      text: noticeText('account_update', { event }),
      body: `WhatsApp reported ${event}.`,
    },
  }
}

/**
 * Restrictions that do not affect messages (platform documentation): adding phone numbers, calling,
 * and creating templates.
 */
const HARMLESS = new Set([
  'RESTRICTED_ADD_PHONE_NUMBER_ACTION',
  'RESTRICTED_UTILITY_TEMPLATES',
  'RESTRICTED_BIZ_INITIATED_AND_USER_INITIATED_CALLING',
  'RESTRICTED_BUSINESS_INITIATED_CALLING',
  'RESTRICTED_USER_INITIATED_CALLING',
  'RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN',
])

/**
 * Each restriction has its own end. Messages are restricted until the last of the relevant ends, or
 * without end if one of them is open.
 */
function readRestriction(value: JsonObject, atMs: number): Effect {
  const all = listOf(value.restriction_info).filter(isObject)
  const restrictions = all.filter(
    (restriction) => !HARMLESS.has(wordOf(restriction.restriction_type) ?? ''),
  )
  if (all.length > 0 && restrictions.length === 0) {
    const kinds = all.map((restriction) => wordOf(restriction.restriction_type)).join(', ')
    const body = `WhatsApp reported ${kinds}. Messages are not affected.`
    return {
      notice: {
        kind: 'account_notice',
        severity: 'warning',
        title: 'Business account restricted',
        text: noticeText('account_restricted_lightly', { kinds }),
        body,
      },
    }
  }
  const ends = restrictions.map((restriction) => secondsToMs(restriction.expiration))
  const known = ends.filter((endMs) => endMs !== null)
  const untilMs = known.length === 0 || known.length < ends.length ? null : Math.max(...known)
  return {
    set: { restrictedAtMs: atMs, restrictedUntilMs: untilMs },
    notice: {
      kind: 'account_notice',
      severity: 'critical',
      title: 'Business account restricted',
      text:
        untilMs === null
          ? noticeText('account_restricted')
          : noticeText('account_restricted_until', { until_at: isoTime(untilMs) }),
      body:
        untilMs === null
          ? 'For now, phone numbers of this account can only reply to customers who wrote within ' +
            'the last 24 hours. Other messages wait until the platform lifts the restriction.'
          : `Until ${new Date(untilMs).toISOString()}, phone numbers of this account can only ` +
            'reply to customers who wrote within the last 24 hours. Other messages wait.',
    },
  }
}
