import { and, eq, inArray } from 'drizzle-orm'

import { freeObjectProblems } from '../../../../lib/free-object'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { filledAtMerge } from '../../../../infra/db/define-table'
import type { Tx } from '../../../../infra/db/transact'
import { appendConsentIn, updateConsentIn } from '../consent/ledger'
import { indexContactIn } from '../search/index-contact'
import { METADATA_LIMITS } from '../model'
import { changeContactIn, findContact } from '../service'
import type { Identity } from '../identities/identities'
import { contactIdentities, contacts, contactTags } from '../table'
import { addTagsIn, newTagsWithinLimit } from '../tags'
import type { ContactRow } from '../view'
import { contactConsents } from '../consent/table'

/** Changes a merge made to the two contacts, as needed to undo it. */
export interface MergeUndo {
  /** Columns of the surviving contact, before and after. */
  fields: [column: keyof ContactRow, before: unknown, after: unknown][]
  identities: Identity[]
  tags: string[]
  consents: string[]
  /** Consent entry added by the merge. */
  consent: string | null
  /** IDs of the surviving contact before the merge. Missing in old merges. */
  ids?: Pick<ContactRow, IdColumn>
}

export const ID_COLUMNS = {
  phoneNumber: 'phone',
  waId: 'phone',
  userId: 'user_id',
  parentUserId: 'parent_user_id',
} as const

export type IdColumn = keyof typeof ID_COLUMNS

/** Columns that the surviving contact takes from the other one if its own are empty. */
const FILLED_COLUMNS = filledAtMerge(contacts)

/** Names reported by the platform. If both contacts are one person, the names used last count. */
const PLATFORM_NAMES = ['profileName', 'username'] as const

const NUMBER_COLUMNS = ['phoneNumber', 'waId', 'country'] as const

/** Two contacts, one of which is merged into the other. */
export interface MergePair {
  source: ContactRow
  target: ContactRow
  /** Whether the platform reported that they are one person; otherwise a user merged them. */
  isOnePerson: boolean
}

/**
 * Merges a contact into another one: moves IDs, tags and consents, fills empty fields and deletes
 * the source. An opt-out of either contact counts. If both are one person, the names used last are
 * kept, so the order of their messages does not matter. Returns the data to undo the merge.
 * Conversations, messages and notes are merged by their own modules. Runs inside the caller's
 * transaction.
 */
export function mergeContactIn(tx: Tx, ctx: Ctx, pair: MergePair): MergeUndo {
  const { source, target } = pair
  const identities = moveIdentitiesIn(tx, ctx, source.id, target.id)
  const tags = copyTagsIn(tx, ctx, source.id, target.id)
  const consents = moveConsentsIn(tx, ctx, { from: source.id, to: target.id })
  changeContactIn(tx, ctx, source.id, { deletedAtMs: ctx.clock.nowMs(), mergedInto: target.id })
  const filled = mergedColumns(pair)
  const fields = Object.entries(filled)
    .map(([column, after]): MergeUndo['fields'][number] => [
      column as keyof ContactRow,
      target[column as keyof ContactRow],
      after,
    ])
    .filter(([, before, after]) => before !== after)
  indexContactIn(tx, ctx, changeContactIn(tx, ctx, target.id, filled))
  const { phoneNumber, waId, userId, parentUserId } = target
  const consent = keepOptOutIn(tx, ctx, source, target)
  return {
    fields,
    identities,
    tags,
    consents,
    consent,
    ids: { phoneNumber, waId, userId, parentUserId },
  }
}

function mergedColumns({ source, target, isOnePerson }: MergePair): Partial<ContactRow> {
  const filled = Object.fromEntries(
    FILLED_COLUMNS.map((column) => [column, target[column] ?? source[column]]),
  ) as Partial<ContactRow>
  const isSourceNewer = isOnePerson && (source.lastInboundAtMs ?? 0) > (target.lastInboundAtMs ?? 0)
  const names = isSourceNewer
    ? Object.fromEntries(PLATFORM_NAMES.map((column) => [column, source[column] ?? target[column]]))
    : {}
  const number =
    isSourceNewer && source.phoneNumber !== null
      ? Object.fromEntries(NUMBER_COLUMNS.map((column) => [column, source[column]]))
      : {}
  return {
    ...filled,
    ...names,
    ...number,
    metadata: JSON.stringify(
      mergeMetadata(
        JSON.parse(target.metadata) as FreeObject,
        JSON.parse(source.metadata) as FreeObject,
      ),
    ),
    attributes: JSON.stringify({
      ...(JSON.parse(source.attributes) as FreeObject),
      ...(JSON.parse(target.attributes) as FreeObject),
    }),
    firstSeenAtMs: Math.min(source.firstSeenAtMs, target.firstSeenAtMs),
  }
}

type FreeObject = Record<string, unknown>

/** Adds metadata of another contact to a contact's own, up to the size limit. */
function mergeMetadata(own: FreeObject, others: FreeObject): FreeObject {
  return Object.entries(others).reduce((pair, [key, value]) => {
    if (Object.hasOwn(own, key)) return pair
    const larger = { ...pair, [key]: value }
    return freeObjectProblems(larger, 'metadata', METADATA_LIMITS).length === 0 ? larger : pair
  }, own)
}

function moveIdentitiesIn(tx: Tx, ctx: Ctx, from: string, to: string): MergeUndo['identities'] {
  return tx
    .update(contactIdentities)
    .set({ contactId: to })
    .where(inOrganization(ctx, contactIdentities, eq(contactIdentities.contactId, from)))
    .returning({ kind: contactIdentities.kind, value: contactIdentities.value })
    .all()
}

/**
 * Copies tags up to the limit. The source keeps its own, which are not counted while it is merged.
 */
function copyTagsIn(tx: Tx, ctx: Ctx, from: string, to: string): string[] {
  const tagsOfSource = tx
    .select({ tagId: contactTags.tagId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.contactId, from)))
    .orderBy(contactTags.tagId)
    .all()
  const { fresh } = newTagsWithinLimit(
    ctx,
    to,
    tagsOfSource.map(({ tagId }) => tagId),
  )
  addTagsIn(tx, ctx, to, fresh)
  return fresh
}

/**
 * Moves all consent entries of a contact, or those with the given IDs, to another contact. Returns
 * their IDs. Runs inside the caller's transaction.
 */
export function moveConsentsIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; ids?: string[] },
): string[] {
  const chosen = move.ids === undefined ? undefined : inArray(contactConsents.id, move.ids)
  return tx
    .update(contactConsents)
    .set({ contactId: move.to })
    .where(
      inOrganization(ctx, contactConsents, and(eq(contactConsents.contactId, move.from), chosen)),
    )
    .returning({ id: contactConsents.id })
    .all()
    .map(({ id }) => id)
}

/**
 * Keeps an opt-out of either contact, whichever entry is newer. Returns the ID of the added entry,
 * or `null` if none was needed.
 */
function keepOptOutIn(tx: Tx, ctx: Ctx, source: ContactRow, target: ContactRow): string | null {
  updateConsentIn(tx, ctx, target.id)
  const isOut = [source, target].some(({ marketingConsent }) => marketingConsent === 'opted_out')
  if (!isOut || findContact(ctx, target.id)?.marketingConsent === 'opted_out') return null
  const evidence = 'One of two merged contacts had opted out.'
  return appendConsentIn(tx, ctx, {
    contactId: target.id,
    state: 'opted_out',
    source: 'agent',
    evidence,
  }).id
}
