import { DAY_MS, isoTime, isoTimeOrNull } from '../../../lib/clock'
import { looksLikePhone, maskPhone, maskPhonesIn } from '../../../lib/phone'
import type { ContactView } from './model'
import { byField, type PlainFieldName } from './plain-fields'
import type { contacts } from './table'

/** A row of the contacts table. */
export type ContactRow = typeof contacts.$inferSelect

/**
 * Length of the customer service window in milliseconds: any message may be sent for this long
 * after the customer wrote (platform documentation: customer service window).
 */
export const WINDOW_MS = DAY_MS

/**
 * The two times that decide whether the 24-hour window is open: the customer's last message, and
 * the platform's last report that the window is closed. Epoch milliseconds.
 */
export type WindowFacts = Pick<ContactRow, 'lastInboundAtMs' | 'windowClosedAtMs'>

/**
 * Returns when the 24-hour window ends, in epoch milliseconds, or `null` if the customer never
 * wrote. A report by the platform that the window is closed ends it early, until the customer
 * writes again.
 */
export function windowEndMs({ lastInboundAtMs, windowClosedAtMs }: WindowFacts): number | null {
  if (lastInboundAtMs === null) return null
  const endMs = lastInboundAtMs + WINDOW_MS
  return windowClosedAtMs !== null && lastInboundAtMs <= windowClosedAtMs
    ? Math.min(endMs, windowClosedAtMs)
    : endMs
}

/** Returns a name as callers see it to whom numbers are masked. */
export const maskedName = (name: string | null): string | null =>
  name !== null && looksLikePhone(name) ? maskPhonesIn(name) : name
/** Returns a number as callers see it to whom numbers are masked. */
export const maskedNumber = (digits: string | null): string | null =>
  digits === null ? null : maskPhone(digits)

/** Returns the plain fields of a contact. `isMasked` masks names that are phone numbers. */
export const plainValuesOf = (
  row: ContactRow,
  isMasked: boolean,
): Record<PlainFieldName, string | null> =>
  byField(({ column, kind }) =>
    isMasked && kind === 'name' ? maskedName(row[column]) : row[column],
  )

/** Returns the phone numbers in the contact's row. */
export const numbersOfContact = (row: Pick<ContactRow, 'phoneNumber' | 'waId'>): string[] =>
  [...new Set([row.phoneNumber, row.waId])].filter((number) => number !== null)

/** Returns the contact's name, else its profile name or username: how a text addresses it. */
export const nameOf = (
  { name, profileName, username }: Pick<ContactRow, 'name' | 'profileName' | 'username'>,
  isMasked: boolean,
): string | null =>
  isMasked
    ? (maskedName(name) ?? maskedName(profileName) ?? username)
    : (name ?? profileName ?? username)

/** Returns the contact's display name: {@link nameOf} it, else its phone number. */
export function displayNameOf(
  row: Pick<ContactRow, 'name' | 'profileName' | 'username' | 'phoneNumber' | 'waId'>,
  isMasked: boolean,
): string | null {
  const number = row.phoneNumber ?? row.waId
  return nameOf(row, isMasked) ?? (isMasked ? maskedNumber(number) : number)
}

/**
 * Converts a contact row into its API representation. `isMasked` reduces phone numbers to their
 * last four digits.
 */
export function contactView(
  row: ContactRow,
  at: {
    isMasked: boolean
    assignee: { id: string; full_name: string } | null
    tags?: ContactView['tags'] | undefined
    /** Preview of the newest message or call, as the caller may see it. */
    preview?: string | undefined
    /** End of the latest window, if the contact's row alone does not determine it. */
    windowEndMs?: number | null | undefined
  },
): ContactView {
  const { isMasked } = at
  return {
    id: row.id,
    ...plainValuesOf(row, isMasked),
    profile_name: isMasked ? maskedName(row.profileName) : row.profileName,
    display_name: displayNameOf(row, isMasked),
    phone_number: isMasked ? maskedNumber(row.phoneNumber) : row.phoneNumber,
    wa_id: isMasked ? maskedNumber(row.waId) : row.waId,
    user_id: row.userId,
    parent_user_id: row.parentUserId,
    username: row.username,
    country: row.country,
    avatar_url: null,
    account_id: row.accountId,
    assigned_to: row.assignedTo,
    assigned_user: at.assignee,
    assigned_team_id: row.assignedTeamId,
    tags: at.tags ?? [],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    attributes: JSON.parse(row.attributes) as Record<string, unknown>,
    marketing_consent: row.marketingConsent,
    blocked: row.blockedAtMs !== null,
    blocked_at: isoTimeOrNull(row.blockedAtMs),
    source: row.source,
    first_seen_at: isoTime(row.firstSeenAtMs),
    last_message_at: isoTimeOrNull(row.lastMessageAtMs),
    last_message_preview: at.preview ?? null,
    last_inbound_at: isoTimeOrNull(row.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(
      at.windowEndMs === undefined ? windowEndMs(row) : at.windowEndMs,
    ),
    unread_count: row.unreadCount,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}
