import { and, eq, isNull } from 'drizzle-orm'

import { isUuid } from '../../lib/ids'
import { anyScope, holds, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, type Tx } from '../../infra/db'
import { accounts } from '../accounts/table'
import { holdersOf } from '../contacts/identity'
import { addBroughtIn, changeBroughtIn, takeBackIn, type BroughtContact, type ContactUndo } from '../contacts/importing'
import { MOST_TAGS } from '../contacts/model'
import { findContact } from '../contacts/service'
import { isSuppressed, knowsSuppressed } from '../contacts/suppression'
import { roomForTags } from '../contacts/tagging'
import type { ContactRow } from '../contacts/view'
import { isVisible, seesAll } from '../contacts/visibility'
import { giveConversationsIn } from '../conversations/giving'
import { findActiveMember } from '../organizations/members/service'
import { tagIdsIn, tagKey, tagsWhere } from '../tags/service'
import { users } from '../users/table'
import { contactReader, type ContactCells } from './contact-rows'
import type { RowProblem } from './model'
import { refused, type Done, type ReadRow, type Run, type Work } from './work'

/** How contacts are brought in. */
export const contactWork: Work<ContactCells> = {
  reader: contactReader,
  doer: (tx, run) => {
    const desk = openDesk(tx, run)
    return (row) => doRow(tx, run, desk, row)
  },
  takeBackIn(tx, ctx, { targetId, undo }) {
    const written = JSON.parse(undo) as ContactUndo
    const { assignedTo } = written.fields
    // Who is no member any more gets nothing back.
    const fields = assignedTo && !findActiveMember(ctx, assignedTo) ? { ...written.fields, assignedTo: null } : written.fields
    const taken = takeBackIn(tx, ctx, targetId, { ...written, fields })
    if (taken && fields.assignedTo !== undefined) giveConversationsIn(tx, ctx, [targetId], fields.assignedTo)
    return taken !== null
  },
}

/** What is looked up once for the rows of one transaction. */
interface Desk {
  /** The member with an e-mail address or a user id; `null` for nobody. */
  memberOf: (written: string) => string | null
  /** The ids of tags; unknown ones are made, in a dry run they are left out. A problem when that is not allowed. */
  tagsOf: (names: string[]) => string[] | RowProblem
  /** Tags for every contact, those of them that are still there. */
  tagIds: string[]
  /** Whether anybody was ever erased here. */
  knowsSuppressed: boolean
  /** The account of new contacts. */
  accountId: string | null
}

function openDesk(tx: Tx, { ctx, options, isDryRun }: Run): Desk {
  const members = new Map<string, string | null>()
  const tags = new Map<string, string>()
  return {
    accountId: defaultAccount(ctx),
    knowsSuppressed: knowsSuppressed(ctx),
    tagIds: tagsWhere(ctx, { ids: options.tagIds }).map(({ id }) => id),
    memberOf(written) {
      const known = members.get(written)
      if (known !== undefined) return known
      const userId = isUuid(written) ? written : userWithEmail(tx, written)
      const found = userId === null ? null : (findActiveMember(ctx, userId)?.userId ?? null)
      members.set(written, found)
      return found
    },
    tagsOf(names) {
      const unknown = names.map(tagKey).filter((key) => !tags.has(key))
      for (const row of tagsWhere(ctx, { keys: unknown })) tags.set(row.nameKey, row.id)
      const missing = names.filter((name) => !tags.has(tagKey(name)))
      if (missing.length > 0 && !holds(ctx.actor, 'tags:create'))
        return { column: 'tags', message: 'is not a tag of this organization', value: missing[0] ?? null }
      if (missing.length > 0 && !isDryRun) {
        tagIdsIn(tx, ctx, { names: missing }, { names: 'tags', ids: 'tags' })
        for (const row of tagsWhere(ctx, { keys: missing.map(tagKey) })) tags.set(row.nameKey, row.id)
      }
      return names.map((name) => tags.get(tagKey(name))).filter((id) => id !== undefined)
    },
  }
}

const userWithEmail = (tx: Tx, email: string): string | null =>
  tx.select({ id: users.id }).from(users).where(eq(users.email, email)).get()?.id ?? null

const ofDefaultIncoming = compiled((orm) =>
  orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(anyScope, accounts, and(eq(accounts.isDefaultIncoming, true), isNull(accounts.deletedAtMs))))
    .prepare(),
)

const defaultAccount = ({ db, organizationId }: Ctx): string | null => ofDefaultIncoming(db).get({ organizationId })?.id ?? null

const KNOWN = 'There is a contact with this number or id already.'

const SUPPRESSED = 'suppressed: this person was erased, and no file brings it back.'

function doRow(tx: Tx, run: Run, desk: Desk, row: ReadRow<ContactCells>): Done {
  const { ctx, options, isDryRun } = run
  const about = (message: string): RowProblem => ({ column: 'phone_number', message, value: row.written })
  const holders = holdersOf(ctx, row.what.ids)
  if (holders.length > 1) return refused('failed', about('The number and the user id belong to different contacts.'))
  const before = holders[0] === undefined ? null : findContact(ctx, holders[0])
  const isLiving = before !== null && before.deletedAtMs === null
  const isSeen = isLiving && (seesAll(ctx.actor) || isVisible(ctx, before.id))
  if (isLiving && !(isSeen && options.updatesDuplicates)) return refused('skipped', about(KNOWN), isSeen ? before.id : null)
  if (before === null && desk.knowsSuppressed && isSuppressed(ctx, row.what.ids)) return refused('failed', about(SUPPRESSED))
  const brought = broughtBy(run, desk, row.what, isLiving ? before : null)
  if ('message' in brought) return refused('failed', brought)
  const outcome = isLiving ? 'updated' : 'created'
  const done = (targetId: string | null, undo: ContactUndo | null): Done => ({ outcome, targetId, problems: [], undo })
  if (isDryRun) return done(isLiving ? before.id : null, null)
  if (before === null) {
    const added = addBroughtIn(tx, ctx, brought, desk.accountId)
    return done(added.id, added.undo)
  }
  const undo = changeBroughtIn(tx, ctx, before, brought)
  if (undo !== null && brought.assignedTo !== undefined && brought.assignedTo !== before.assignedTo)
    giveConversationsIn(tx, ctx, [before.id], brought.assignedTo)
  return done(before.id, undo)
}

/** The contact a row brings, with members and tags looked up; the first problem when one of them is not to be had. */
function broughtBy({ ctx }: Run, desk: Desk, cells: ContactCells, before: ContactRow | null): BroughtContact | RowProblem {
  const tags = desk.tagsOf(cells.tags)
  if (!Array.isArray(tags)) return tags
  const assignee = cells.assignee === undefined ? undefined : desk.memberOf(cells.assignee)
  const refuse = (message: string): RowProblem => ({ column: 'assigned_to', message, value: cells.assignee ?? null })
  if (assignee === null) return refuse('is not an active member')
  const { userId } = ctx.actor
  // Who sees only its own contacts becomes the assignee of those it brings (permissions contract 3, rule 6).
  const assignedTo = before === null && !seesAll(ctx.actor) && userId !== null ? userId : assignee
  if (assignedTo !== undefined && assignedTo !== userId && assignedTo !== before?.assignedTo && !holds(ctx.actor, 'transfers:assign'))
    return refuse('needs the permission transfers:assign')
  const tagIds = [...new Set([...tags, ...desk.tagIds])]
  const fits = tagIds.length === 0 || (before === null ? tagIds.length <= MOST_TAGS : roomForTags(ctx, before.id, tagIds).fits)
  if (!fits) return { column: 'tags', message: `come to more than ${MOST_TAGS} with those it has`, value: null }
  return { ...cells, assignedTo, tagIds }
}
