import { sql } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { numberVariants } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { OwnParams } from '../draft/values'
import type { SkipReason } from '../rules'
import { campaignRecipients } from '../table'

export interface AddedRecipient {
  campaignId: string
  contactId: string | null
  phoneNumber: string | null
  userId: string | null
  name: string | null
  source: 'upload' | 'audience'
  skip: SkipReason | null
  params: OwnParams | null
}

/** Returns the identity of a person: by contact, else by normalized number, else by user ID. */
export function identityOf(
  person: Pick<AddedRecipient, 'contactId' | 'phoneNumber' | 'userId'>,
): string {
  if (person.contactId !== null) return `c:${person.contactId}`
  if (person.phoneNumber !== null)
    return `p:${numberVariants(person.phoneNumber).toSorted()[0] ?? person.phoneNumber}`
  return `u:${person.userId}`
}

/** Returns the search text of a recipient. */
const searchTextOf = (person: Pick<AddedRecipient, 'name' | 'phoneNumber' | 'userId'>): string =>
  [foldText(person.name ?? ''), person.phoneNumber, person.userId?.toLowerCase()]
    .filter((word) => word !== null && word !== '' && word !== undefined)
    .join(' ')

const insertRecipient = compiled((orm) =>
  orm
    .insert(campaignRecipients)
    .values({
      organizationId: sql.placeholder('organizationId'),
      campaignId: sql.placeholder('campaignId'),
      id: sql.placeholder('id'),
      contactId: sql.placeholder('contactId'),
      identity: sql.placeholder('identity'),
      phoneNumber: sql.placeholder('phoneNumber'),
      userId: sql.placeholder('userId'),
      name: sql.placeholder('name'),
      words: sql.placeholder('words'),
      source: sql.placeholder('source'),
      status: sql.placeholder('status'),
      skipReason: sql.placeholder('skipReason'),
      params: sql.placeholder('params'),
      createdAtMs: sql.placeholder('nowMs'),
      updatedAtMs: sql.placeholder('nowMs'),
    })
    .onConflictDoNothing({
      target: [
        campaignRecipients.organizationId,
        campaignRecipients.campaignId,
        campaignRecipients.identity,
      ],
    })
    .returning({ id: campaignRecipients.id })
    .prepare(),
)

/**
 * Adds a person to a campaign. Returns the recipient's ID, or `null` if the campaign already has
 * this person. Runs inside the caller's transaction.
 */
export function addRecipientIn(tx: Tx, ctx: Ctx, person: AddedRecipient): string | null {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const { skip, params, ...rest } = person
  const added = insertRecipient(ctx.db).get({
    ...rest,
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    identity: identityOf(person),
    words: searchTextOf(person),
    status: skip === null ? 'pending' : 'skipped',
    skipReason: skip,
    params: params === null ? null : JSON.stringify(params),
    nowMs: ctx.clock.nowMs(),
  })
  return added?.id ?? null
}
