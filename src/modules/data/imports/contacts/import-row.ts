import { and, eq, isNull, sql } from 'drizzle-orm'

import { isUuid } from '../../../../lib/ids'
import { anyScope, hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { accounts } from '../../../channel/accounts/table'
import { NewContacts } from '../../../inbox/contacts/write/create-many'
import type { ImportedContact, ContactUndo } from '../../../inbox/contacts/imports/imported-contact'
import { holdersOf, identitiesOf } from '../../../inbox/contacts/identities/identities'
import {
  updateImportedContactIn,
  newIdentities,
  revertImportIn,
} from '../../../inbox/contacts/imports/apply'
import { MAX_TAGS } from '../../../inbox/contacts/model'
import { findContact } from '../../../inbox/contacts/service'
import { isSuppressed, hasSuppressions } from '../../../inbox/contacts/erase/suppression'
import { newTagsWithinLimit } from '../../../inbox/contacts/tags'
import type { ContactRow } from '../../../inbox/contacts/view'
import { isVisible, seesAll } from '../../../inbox/contacts/sight/visibility'
import { assignConversationsIn } from '../../../inbox/conversations/assign-many'
import { tagIdsIn } from '../../../inbox/tags/service'
import { users } from '../../../organization/users/table'
import { contactReader, type ContactCells } from './read-row'
import type { RowProblem } from '../model'
import {
  refused,
  type Done,
  type ReadRow,
  type FileImportRun,
  type FileImportWork,
} from '../importer'
import { tagKey, tagsWhere } from '../../../inbox/tags/queries'
import { findActiveMember } from '../../../organization/memberships/find'

/** Imports rows of contacts. */
export const contactWork: FileImportWork<ContactCells> = {
  reader: contactReader,
  doer: (tx, run) => {
    const context = openImport(tx, run)
    return {
      one: (row) => doRow(tx, run, context, row),
      settle: () => context.newcomers.writeIn(tx),
    }
  },
  takeBackIn(tx, ctx, { targetId, undo }) {
    const written = JSON.parse(undo) as ContactUndo
    const { assignedTo } = written.fields
    // A former member gets no contacts back.
    const fields =
      assignedTo && !findActiveMember(ctx, assignedTo)
        ? { ...written.fields, assignedTo: null }
        : written.fields
    const taken = revertImportIn(tx, ctx, targetId, { ...written, fields })
    if (taken && fields.assignedTo !== undefined)
      assignConversationsIn(tx, ctx, [targetId], { assignedTo: fields.assignedTo })
    return taken !== null
  },
}

/** Data looked up once for all rows of a transaction. */
interface RowContext {
  /** Returns the member with an email address or user ID, or `null`. */
  memberOf: (written: string) => string | null
  /**
   * Returns the IDs of tags. Creates unknown tags; a dry run leaves them out. Returns a problem if
   * the caller must not create tags.
   */
  tagsOf: (names: string[]) => string[] | RowProblem
  /** Existing tags to add to every contact. */
  tagIds: string[]
  /** Whether the organization has ever erased a person. */
  hasSuppressions: boolean
  /** Contacts to create. */
  newcomers: NewContacts
}

function openImport(tx: Tx, { ctx, options, isDryRun }: FileImportRun): RowContext {
  const members = new Map<string, string | null>()
  return {
    newcomers: new NewContacts(ctx, { accountId: defaultAccount(ctx), source: 'import' }),
    hasSuppressions: hasSuppressions(ctx),
    tagIds: tagsWhere(ctx, { ids: options.tagIds }).map(({ id }) => id),
    memberOf(written) {
      const known = members.get(written)
      if (known !== undefined) return known
      const userId = isUuid(written) ? written : userWithEmail(tx, written)
      const found = userId === null ? null : (findActiveMember(ctx, userId)?.userId ?? null)
      members.set(written, found)
      return found
    },
    tagsOf: tagLookup(tx, ctx, isDryRun),
  }
}

/** Returns a function that looks up each tag name once. */
function tagLookup(tx: Tx, ctx: Ctx, isDryRun: boolean): RowContext['tagsOf'] {
  /** Tag IDs by the written name and by the normalized name; `null` if there is no tag. */
  const byName = new Map<string, string | null>()
  const byKey = new Map<string, string | null>()
  const note = (keys: string[]): void => {
    for (const key of keys) byKey.set(key, null)
    for (const row of tagsWhere(ctx, { keys })) byKey.set(row.nameKey, row.id)
  }
  const lookUp = (names: string[]): void => {
    note(names.map(tagKey).filter((key) => !byKey.has(key)))
    const missing = names.filter((name) => byKey.get(tagKey(name)) === null)
    if (missing.length > 0 && !isDryRun && hasPermission(ctx.actor, 'tags:create')) {
      tagIdsIn(tx, ctx, { names: missing }, { names: 'tags', ids: 'tags' })
      note(missing.map(tagKey))
    }
    for (const name of names) byName.set(name, byKey.get(tagKey(name)) ?? null)
  }
  return (names) => {
    if (names.some((name) => !byName.has(name))) lookUp(names)
    const missing = names.find((name) => byName.get(name) === null)
    if (missing !== undefined && !hasPermission(ctx.actor, 'tags:create'))
      return { column: 'tags', message: 'is not a tag of this organization', value: missing }
    return names.map((name) => byName.get(name) ?? null).filter((id) => id !== null)
  }
}

const userWithEmail = (tx: Tx, email: string): string | null =>
  tx.select({ id: users.id }).from(users).where(eq(users.email, email)).get()?.id ?? null

const ofDefaultIncoming = compiled((orm) =>
  orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      inOrganization(
        anyScope,
        accounts,
        and(sql`${accounts.isDefaultIncoming} = 1`, isNull(accounts.deletedAtMs)),
      ),
    )
    .prepare(),
)

const defaultAccount = ({ db, organizationId }: Ctx): string | null =>
  ofDefaultIncoming(db).get({ organizationId })?.id ?? null

const KNOWN = 'A contact with this `phone_number` or `user_id` already exists.'

const SUPPRESSED = 'suppressed: this person was erased and cannot be imported again'

function doRow(tx: Tx, run: FileImportRun, context: RowContext, row: ReadRow<ContactCells>): Done {
  const { ctx, options, isDryRun } = run
  const about = (message: string): RowProblem => ({
    column: 'phone_number',
    message,
    value: row.written,
  })
  if (context.newcomers.goBy(row.what.ids)) context.newcomers.writeIn(tx)
  const foreseen = isDryRun ? run.foreseen.holdersOf(row.what.ids, row.row) : []
  const holders = holdersOf(ctx, row.what.ids)
  if (new Set([...holders, ...foreseen]).size > 1)
    return refused(
      'failed',
      about('The phone number and the user ID belong to different contacts.'),
    )
  const holder = holders[0] ?? foreseen.find((one) => typeof one === 'string')
  const before = holder === undefined ? null : findContact(ctx, holder)
  const isLiving = before !== null && before.deletedAtMs === null
  const isForeseen =
    isDryRun &&
    !isLiving &&
    (before === null ? foreseen.length > 0 : run.foreseen.isBack(before.id, row.row))
  const isSeen = isLiving && (seesAll(ctx.actor) || isVisible(ctx, before.id))
  if (isLiving && !(isSeen && options.updatesDuplicates))
    return refused('skipped', about(KNOWN), isSeen ? before.id : null)
  if (isForeseen && !options.updatesDuplicates) return refused('skipped', about(KNOWN))
  if (before === null && context.hasSuppressions && isSuppressed(ctx, row.what.ids))
    return refused('failed', about(SUPPRESSED))
  const brought = importedContactOf(run, context, row.what, isLiving ? before : null)
  if ('message' in brought) return refused('failed', brought)
  const outcome = isLiving || isForeseen ? 'updated' : 'created'
  const done = (targetId: string | null, undo: ContactUndo | null): Done => ({
    outcome,
    targetId,
    problems: [],
    undo,
  })
  if (isDryRun) {
    if (!isForeseen) foresee(run, row, before)
    return done(isLiving ? before.id : null, null)
  }
  if (before === null) {
    const added = context.newcomers.add(brought)
    return done(added.id, added.undo)
  }
  const undo = updateImportedContactIn(tx, ctx, before, brought)
  if (undo !== null && brought.assignedTo !== undefined && brought.assignedTo !== before.assignedTo)
    assignConversationsIn(tx, ctx, [before.id], { assignedTo: brought.assignedTo })
  return done(before.id, undo)
}

/**
 * Records the effect of a dry-run row: a new contact, a restored contact, or further identities of
 * a contact.
 */
function foresee(
  { ctx, foreseen }: FileImportRun,
  { row, what: { ids } }: ReadRow<ContactCells>,
  before: ContactRow | null,
): void {
  foreseen.note(
    before === null ? identitiesOf(ids) : newIdentities(ctx, before.id, ids),
    before?.id ?? row,
  )
  if (before !== null && before.deletedAtMs !== null) foreseen.noteBack(before.id, row)
}

/** Returns the contact of a row with its members and tags, or the first problem found. */
function importedContactOf(
  { ctx }: FileImportRun,
  context: RowContext,
  cells: ContactCells,
  before: ContactRow | null,
): ImportedContact | RowProblem {
  const tags = context.tagsOf(cells.tags)
  if (!Array.isArray(tags)) return tags
  const assignee = cells.assignee === undefined ? undefined : context.memberOf(cells.assignee)
  const refuse = (message: string): RowProblem => ({
    column: 'assigned_to',
    message,
    value: cells.assignee ?? null,
  })
  if (assignee === null) return refuse('is not an active member')
  const { userId } = ctx.actor
  // If the caller cannot see all contacts, imported contacts are assigned to them (permissions
  // contract 3, rule 6).
  const assignedTo = before === null && !seesAll(ctx.actor) && userId !== null ? userId : assignee
  if (
    assignedTo !== undefined &&
    assignedTo !== userId &&
    assignedTo !== before?.assignedTo &&
    !hasPermission(ctx.actor, 'transfers:assign')
  )
    return refuse('requires the permission transfers:assign')
  const tagIds = [...new Set([...tags, ...context.tagIds])]
  const fits =
    tagIds.length === 0 ||
    (before === null ? tagIds.length <= MAX_TAGS : newTagsWithinLimit(ctx, before.id, tagIds).fits)
  if (!fits)
    return {
      column: 'tags',
      message: `must not have more than ${MAX_TAGS} tags together with the contact's existing tags`,
      value: null,
    }
  return { ...cells, assignedTo, tagIds }
}
