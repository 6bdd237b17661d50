import { DAY_MS, isoTime, isoTimeOrNull } from '../../lib/clock'
import { looksLikePhone, maskNumbersIn, maskPhone, maskPhonesIn } from '../../lib/phone'
import type { ContactView } from './model'
import type { contacts } from './table'

/** A contact as its row holds it. */
export type ContactRow = typeof contacts.$inferSelect

/**
 * The platform lets any message through for so long after the customer wrote, milliseconds
 * (platform documentation: customer service window).
 */
export const WINDOW_MS = DAY_MS

/**
 * What a window hangs on: when the customer wrote last, and when the platform last said that the
 * window is closed. Epoch milliseconds.
 */
export type WindowFacts = Pick<ContactRow, 'lastInboundAtMs' | 'windowClosedAtMs'>

/**
 * When the 24-hour window ends that the customer's newest message opened, epoch milliseconds;
 * `null` when it never wrote. The platform knows better when it says that the window is closed,
 * until the customer writes again.
 */
export function windowEndMs({ lastInboundAtMs, windowClosedAtMs }: WindowFacts): number | null {
  if (lastInboundAtMs === null) return null
  const endMs = lastInboundAtMs + WINDOW_MS
  return windowClosedAtMs !== null && lastInboundAtMs <= windowClosedAtMs
    ? Math.min(endMs, windowClosedAtMs)
    : endMs
}

const maskedName = (name: string | null): string | null =>
  name !== null && looksLikePhone(name) ? maskPhonesIn(name) : name
const maskedNumber = (digits: string | null): string | null =>
  digits === null ? null : maskPhone(digits)

/** The numbers a contact goes by. */
export const numbersOfContact = (row: Pick<ContactRow, 'phoneNumber' | 'waId'>): string[] =>
  [...new Set([row.phoneNumber, row.waId])].filter((number) => number !== null)

/**
 * What a contact is called: the name, else the profile name, else the username, else the number.
 */
export function displayNameOf(
  row: Pick<ContactRow, 'name' | 'profileName' | 'username' | 'phoneNumber' | 'waId'>,
  isMasked: boolean,
): string | null {
  const number = row.phoneNumber ?? row.waId
  if (!isMasked) return row.name ?? row.profileName ?? row.username ?? number
  return maskedName(row.name) ?? maskedName(row.profileName) ?? row.username ?? maskedNumber(number)
}

function previewOf(
  { lastMessagePreview: said, ...row }: ContactRow,
  at: { isMasked: boolean; isPreviewMasked?: boolean },
): string | null {
  if (said === null || !at.isMasked) return said
  return at.isPreviewMasked === true
    ? maskPhonesIn(said)
    : maskNumbersIn(said, numbersOfContact(row))
}

/**
 * The contact as the API answers it; with `isMasked` numbers show only their last four digits, with
 * `isPreviewMasked` also those in what was said last.
 */
export function contactView(
  row: ContactRow,
  at: {
    isMasked: boolean
    assignee: { id: string; full_name: string } | null
    tags?: ContactView['tags'] | undefined
    isPreviewMasked?: boolean
    /** When the latest of its windows ends, where that is not told by the row alone. */
    windowEndMs?: number | null | undefined
  },
): ContactView {
  const { isMasked } = at
  return {
    id: row.id,
    name: isMasked ? maskedName(row.name) : row.name,
    profile_name: isMasked ? maskedName(row.profileName) : row.profileName,
    display_name: displayNameOf(row, isMasked),
    phone_number: isMasked ? maskedNumber(row.phoneNumber) : row.phoneNumber,
    wa_id: isMasked ? maskedNumber(row.waId) : row.waId,
    user_id: row.userId,
    parent_user_id: row.parentUserId,
    username: row.username,
    country: row.country,
    language: row.language,
    avatar_url: null,
    account_id: row.accountId,
    assigned_to: row.assignedTo,
    assigned_user: at.assignee,
    assigned_team_id: null,
    tags: at.tags ?? [],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    attributes: JSON.parse(row.attributes) as Record<string, unknown>,
    marketing_consent: row.marketingConsent,
    blocked: row.blockedAtMs !== null,
    blocked_at: isoTimeOrNull(row.blockedAtMs),
    source: row.source,
    first_seen_at: isoTime(row.firstSeenAtMs),
    last_message_at: isoTimeOrNull(row.lastMessageAtMs),
    last_message_preview: previewOf(row, at),
    last_inbound_at: isoTimeOrNull(row.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(
      at.windowEndMs === undefined ? windowEndMs(row) : at.windowEndMs,
    ),
    unread_count: row.unreadCount,
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
  }
}
