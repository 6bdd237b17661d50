import { and, eq } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { isEmail, isName, normalEmail } from '../../../../lib/fields'
import { sha256Hex } from '../../../../lib/hash'
import type { Tx } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { createCannedResponseIn } from '../../../inbox/canned-responses/service'
import { cannedResponses } from '../../../inbox/canned-responses/table'
import { storePastNoteIn } from '../../../inbox/contacts/notes/service'
import { tagKey, tagsWhere } from '../../../inbox/tags/queries'
import { problemOfTagName, tagIdsIn } from '../../../inbox/tags/service'
import { createInvitationIn } from '../../../organization/members/invitations/create'
import { isPending } from '../../../organization/members/invitations/queries'
import { invitations } from '../../../organization/members/table'
import { findMembership } from '../../../organization/memberships/find'
import { getOrganization } from '../../../organization/organizations/service'
import { findUserByEmail } from '../../../organization/users/service'
import type { ProductEntry } from '../entries'
import type { ThingOutcome } from '../items'
import { joined, leftOut, type ProductRun } from './run'

type EntryOf<K extends ProductEntry['kind']> = Exclude<
  Extract<ProductEntry, { kind: K }>,
  { leftOut: unknown } | { position: string }
>

/** Longest text that is stored, characters. */
export const MAX_TEXT = 65_536

/** Finds the number here that a number of the other product is. */
export function takeNumber(run: ProductRun, entry: EntryOf<'number'>): ThingOutcome {
  if (!entry.isWhatsApp) return leftOut('not_whatsapp')
  const digits = entry.phone?.replaceAll(/\D/g, '') ?? ''
  const own = run.numbers.find(
    ({ phoneId, phone }) => phoneId === entry.phoneId || (digits !== '' && phone === digits),
  )
  const id = own?.id ?? run.otherNumber
  return id === null ? leftOut('not_connected') : joined(id)
}

/** Invites a colleague with the default role, whatever the role there was. */
export function takeAgent(tx: Tx | null, run: ProductRun, entry: EntryOf<'agent'>): ThingOutcome {
  const { ctx, inviter } = run
  if (!isEmail(entry.email)) return leftOut('bad_email')
  const email = normalEmail(entry.email)
  const user = findUserByEmail(ctx, email)
  if (user && findMembership(ctx, { organizationId: ctx.organizationId, userId: user.id }))
    return joined(null)
  const pending = of(ctx, invitations).find(
    and(eq(invitations.email, email), isPending(ctx.clock.nowMs())),
  )
  if (pending) return joined(null)
  if (inviter === null) return leftOut('not_asked')
  if (getOrganization(ctx).registrationPolicy === 'closed') return leftOut('invitations_closed')
  if (tx === null) return { outcome: 'new' }
  return { outcome: 'new', targetId: createInvitationIn(tx, inviter, { email }).id }
}

/** Returns the IDs of tags by their names, and creates those that are new. */
export function tagsNamed(
  tx: Tx | null,
  { ctx, items }: ProductRun,
  written: string[],
): { ids: string[]; areAll: boolean } {
  const all = [...new Set(written.map((name) => name.replaceAll(/\s+/g, ' ').trim()))]
  const names = all.filter((name) => problemOfTagName(name, true) === null)
  const known = new Set(tagsWhere(ctx, { keys: names.map(tagKey) }).map(({ nameKey }) => nameKey))
  const ids = tx === null ? [] : tagIdsIn(tx, ctx, { names }, { names: 'tags', ids: 'tags' })
  const keys = new Set(names.map(tagKey))
  for (const key of keys) {
    const sourceId = sha256Hex(key)
    if (items.get('tag', sourceId) !== null) continue
    const [row] = tagsWhere(ctx, { keys: [key] })
    const targetId = row?.id ?? null
    items.put('tag', sourceId, { outcome: known.has(key) ? 'joined' : 'new', targetId })
  }
  return { ids, areAll: names.length === all.length }
}

/** Stores a canned response. The same one is joined; one with another content keeps its place. */
export function takeCanned(
  tx: Tx | null,
  run: ProductRun,
  entry: EntryOf<'canned_response'>,
): ThingOutcome {
  const { ctx } = run
  const content = entry.content.toWellFormed().replaceAll('\0', '')
  const shortcut = shortcutOf(entry.shortcut)
  const name = [entry.name, entry.shortcut ?? ''].find((one) => isName(one.trim(), 100))?.trim()
  if (name === undefined || content.trim() === '' || content.length > MAX_CANNED)
    return leftOut('bad_text')
  const known =
    of(ctx, cannedResponses).find({ nameKey: foldText(name) }) ??
    (shortcut === null ? null : of(ctx, cannedResponses).find({ shortcut }))
  if (known) return known.content === content ? joined(known.id) : leftOut('already_here')
  if (tx === null) return { outcome: 'new' }
  const made = createCannedResponseIn(tx, ctx, { name, content, shortcut })
  return { outcome: 'new', targetId: made.id, details: JSON.stringify({ atMs: ctx.clock.nowMs() }) }
}

/** Longest canned response, characters: one message. */
const MAX_CANNED = 4_096

/** Returns a shortcut as it is typed here, without its slash, or `null`. */
function shortcutOf(written: string | null): string | null {
  const shortcut = (written ?? '').trim().replace(/^\//, '').toLowerCase()
  return /^[a-z0-9_-]{1,50}$/.test(shortcut) ? shortcut : null
}

/** Stores a note about a contact. */
export function takeNote(tx: Tx | null, run: ProductRun, entry: EntryOf<'note'>): ThingOutcome {
  const contactId = contactOf(run, entry.contact)
  if (contactId === undefined) return leftOut('contact_left_out')
  if (entry.content.replaceAll('\0', '').trim() === '') return leftOut('no_text')
  const content = entry.content.slice(0, MAX_NOTE)
  const reason = content === entry.content ? null : 'shortened'
  if (tx === null || contactId === null) return { outcome: 'new', reason }
  const author = nameOrNull(entry.author)
  const { atMs } = entry
  const id = storePastNoteIn(tx, run.ctx, { contactId, content, author, atMs })
  return { outcome: 'new', targetId: id, reason }
}

const MAX_NOTE = 10_000

/** Returns the name of a person as it can be shown, or `null`. */
export const nameOrNull = (name: string | null): string | null =>
  (name ?? '')
    .replaceAll(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, 255)
    .toWellFormed() || null

/**
 * Returns the contact here of one there; `null` if a check would create it, `undefined` if it was left
 * out or is unknown.
 */
export function contactOf({ items }: ProductRun, sourceId: string): string | null | undefined {
  const item = items.get('contact', sourceId)
  return item === null || item.outcome === 'left_out' ? undefined : item.targetId
}

/** Returns how a number there is called here; `undefined` if it is not here. */
export const numberOf = ({ items }: ProductRun, sourceId: string): Required<ThingOutcome> | null =>
  items.get('number', sourceId)
