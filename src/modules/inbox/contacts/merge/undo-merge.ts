import { and, eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { updateConsentIn } from '../consent/ledger'
import { addIdentityIn, holdersOf, restoreNumberIn, type SenderIds } from '../identities/identities'
import { indexContactIn } from '../search/index-contact'
import { countryOfSender } from '../identities/phone-numbers'
import { changeContactIn } from '../service'
import { contactIdentities, contactTags } from '../table'
import type { ContactRow } from '../view'
import { type MergeUndo, ID_COLUMNS, type IdColumn, moveConsentsIn } from './merge'
import { contactConsents } from '../consent/table'

/**
 * Undoes the merge of a contact. Later changes stay, and a number that now belongs to another
 * contact is not returned. Runs inside the caller's transaction.
 */
export function splitContactIn(
  tx: Tx,
  ctx: Ctx,
  source: ContactRow,
  target: ContactRow,
  undo: MergeUndo,
): void {
  for (const { kind, value } of undo.identities)
    tx.update(contactIdentities)
      .set({ contactId: source.id })
      .where(
        inOrganization(
          ctx,
          contactIdentities,
          and(
            eq(contactIdentities.contactId, target.id),
            eq(contactIdentities.kind, kind),
            eq(contactIdentities.value, value),
          ),
        ),
      )
      .run()
  if (undo.tags.length > 0)
    tx.delete(contactTags)
      .where(
        inOrganization(
          ctx,
          contactTags,
          and(eq(contactTags.contactId, target.id), inArray(contactTags.tagId, undo.tags)),
        ),
      )
      .run()
  moveConsentsIn(tx, ctx, { from: target.id, to: source.id, ids: undo.consents })
  if (undo.consent !== null)
    tx.delete(contactConsents)
      .where(inOrganization(ctx, contactConsents, eq(contactConsents.id, undo.consent)))
      .run()
  const former = undo.fields
    .filter(([column, , after]) => target[column] === after)
    .map(([column, before]) => [column, before])
  const restored = { ...target, ...(Object.fromEntries(former) as Partial<ContactRow>) }
  indexContactIn(
    tx,
    ctx,
    changeContactIn(tx, ctx, target.id, {
      ...Object.fromEntries(former),
      ...reclaimIdentitiesIn(tx, ctx, restored, undo.ids),
    }),
  )
  indexContactIn(
    tx,
    ctx,
    changeContactIn(tx, ctx, source.id, {
      ...reclaimIdentitiesIn(tx, ctx, source),
      deletedAtMs: null,
      mergedInto: null,
    }),
  )
  for (const { id } of [source, target]) updateConsentIn(tx, ctx, id)
}

const NO_IDS: SenderIds = { phone: null, userId: null, parentUserId: null }

/**
 * Gives a separated contact its numbers and IDs back, including those given up in the meantime.
 * Returns the columns whose value now belongs to another contact: reset to the value in `before`,
 * else to `null`. Runs inside the caller's transaction.
 */
function reclaimIdentitiesIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  before?: Pick<ContactRow, IdColumn>,
): Partial<ContactRow> {
  const isOwn = (column: IdColumn, value: string): boolean => {
    const kind = ID_COLUMNS[column]
    const field = ({ phone: 'phone', user_id: 'userId', parent_user_id: 'parentUserId' } as const)[
      kind
    ]
    const holders = holdersOf(ctx, { ...NO_IDS, [field]: value })
    if (holders.length === 0) addIdentityIn(tx, ctx, row.id, { kind, value, accountId: null })
    else if (holders.includes(row.id) && kind === 'phone') restoreNumberIn(tx, ctx, row.id, value)
    return holders.length === 0 || holders.includes(row.id)
  }
  const lost = (Object.keys(ID_COLUMNS) as IdColumn[]).filter(
    (column) => row[column] !== null && !isOwn(column, row[column]),
  )
  const columns = lost.map((column) => {
    const former = before?.[column] ?? null
    return [column, former !== null && isOwn(column, former) ? former : null] as const
  })
  const own = Object.fromEntries(columns) as Partial<ContactRow>
  const { phoneNumber: phone, userId, parentUserId } = { ...row, ...own }
  return {
    ...own,
    ...('phoneNumber' in own ? { country: countryOfSender({ phone, userId, parentUserId }) } : {}),
  }
}
