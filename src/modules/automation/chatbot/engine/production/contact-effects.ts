import { inArray } from 'drizzle-orm'

import { AppError } from '../../../../../lib/errors'
import { readNumber } from '../../../../../lib/typed-number'
import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import { savepoint, type Tx } from '../../../../../infra/db/transact'
import { emit } from '../../../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../../../organization/audit/record'
import { definitionsOf } from '../../../../inbox/contacts/attributes/service'
import { problemsOfAttributes } from '../../../../inbox/contacts/attributes/values'
import { appendConsentIn } from '../../../../inbox/contacts/consent/ledger'
import { ContactChanged } from '../../../../inbox/contacts/events'
import { plainFields } from '../../../../inbox/contacts/plain-fields'
import { findContact } from '../../../../inbox/contacts/service'
import { addTagsIn, newTagsWithinLimit, removeTagsIn } from '../../../../inbox/contacts/tags'
import { changeFieldsIn } from '../../../../inbox/contacts/write/update'
import { assignIn as assignConversationIn } from '../../../../inbox/conversations/assign'
import { findConversation } from '../../../../inbox/conversations/service'
import { findActiveMember } from '../../../../organization/memberships/find'
import { tags } from '../../../../inbox/tags/table'
import { findTeam } from '../../../../inbox/teams/find'
import { notifyAssignedIn } from '../../../transfers/move'
import type { ContactUpdate } from '../ports'
import type { SessionPlace } from './store'

/** The context of changes that the bot makes. The audit log names it. */
export const asChatbot = (ctx: Ctx): Ctx => ({
  ...ctx,
  actor: { ...ctx.actor, userName: 'chatbot' },
})

/**
 * Changes a contact for a bot flow, audited as `chatbot`, in the caller's transaction. What does not
 * fit is left out. Returns what that was, or `null`.
 */
export function updateContactIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  update: ContactUpdate,
): string | null {
  const { fits, problem } = fittingUpdate(ctx, update)
  const { attributes = {}, marketingConsent, ...texts } = fits
  const contact = findContact(ctx, contactId)
  if (!contact) return 'the contact is gone'
  try {
    savepoint(tx, (inner) => {
      changeFieldsIn(inner, asChatbot(ctx), contact, {
        ...texts,
        // checked against their definitions above
        ...(Object.keys(attributes).length === 0 ? {} : { attributes: attributes as never }),
      })
      if (marketingConsent !== undefined) recordConsentIn(inner, ctx, contactId, marketingConsent)
    })
    return problem
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** Returns the part of an update that fits, and what does not. Texts become what their fields hold. */
export function fittingUpdate(
  ctx: Ctx,
  { attributes = {}, marketingConsent, ...texts }: ContactUpdate,
): { fits: ContactUpdate; problem: string | null } {
  const typed = typedAttributes(ctx, attributes)
  const refused = problemsOfAttributes(ctx, typed)
  const unfit = plainFields.filter(
    ({ field, isValid }) => texts[field] !== undefined && !isValid(texts[field]),
  )
  const problems = [
    ...refused.map(({ path, message }) => `${path.replace('body.', '')} ${message}`),
    ...unfit.map(({ field, rule }) => `${field} ${rule}`),
  ]
  const isUnfit = (field: string): boolean => unfit.some((one) => one.field === field)
  const isRefused = (key: string): boolean =>
    refused.some(({ path }) => path === `body.attributes.${key}`)
  return {
    fits: {
      ...Object.fromEntries(Object.entries(texts).filter(([field]) => !isUnfit(field))),
      attributes: Object.fromEntries(Object.entries(typed).filter(([key]) => !isRefused(key))),
      marketingConsent,
    },
    problem: problems.length === 0 ? null : `not written: ${problems.join('; ')}`,
  }
}

/** Returns attributes with the texts for numbers and truth values as such. */
function typedAttributes(ctx: Ctx, attributes: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(attributes).length === 0) return attributes
  const definitions = definitionsOf(ctx)
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => {
      const type = definitions.get(key)?.type
      if (typeof value !== 'string') return [key, value]
      if (type === 'number') return [key, readNumber(value) ?? value]
      return [key, type === 'boolean' && /^(?:true|false)$/.test(value) ? value === 'true' : value]
    }),
  )
}

function recordConsentIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  state: 'opted_in' | 'opted_out',
): void {
  appendConsentIn(tx, ctx, { contactId, state, source: 'chatbot', evidence: 'bot flow' })
  recordPersonalDataChange(tx, asChatbot(ctx), {
    action: state,
    resourceType: 'contact',
    resourceId: contactId,
    fields: ['marketing_consent'],
  })
}

/** Adds and removes tags for a bot flow, in the caller's transaction. Deleted tags are skipped. */
export function changeTagsIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  change: { add: string[]; remove: string[] },
): void {
  const live = existingTags(ctx, change.add)
  const added = addTagsIn(
    tx,
    asChatbot(ctx),
    contactId,
    newTagsWithinLimit(
      ctx,
      contactId,
      change.add.filter((id) => live.has(id)),
    ).fresh,
  )
  const removed = removeTagsIn(tx, asChatbot(ctx), contactId, change.remove)
  if (added + removed === 0) return
  emit(tx, ctx, ContactChanged, {
    contactId,
    payload: { contactId, changed: ['tags'], lostBy: [] },
  })
  recordPersonalDataChange(tx, asChatbot(ctx), {
    action: 'updated',
    resourceType: 'contact',
    resourceId: contactId,
    fields: ['tags'],
  })
}

/** Returns the names of tags by ID, without those that are gone. */
export const existingTags = (ctx: Ctx, ids: string[]): Map<string, string> =>
  new Map(
    ctx.db.orm
      .select({ id: tags.id, name: tags.name })
      .from(tags)
      .where(inOrganization(ctx, tags, inArray(tags.id, ids)))
      .all()
      .map(({ id, name }) => [id, name]),
  )

/**
 * Assigns the conversation for a bot flow, in the caller's transaction: to a person, or to a team
 * without a person. One that has gone becomes the general queue. The person is told.
 */
export function assignIn(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
  to: { userId: string | null; teamId: string | null },
): void {
  const conversation = findConversation(ctx, place)
  if (!conversation) return
  const userId = to.userId !== null && findActiveMember(ctx, to.userId) ? to.userId : null
  const team = to.teamId === null ? null : findTeam(ctx, to.teamId)
  const teamId = team?.isActive === true ? team.id : null
  assignConversationIn(tx, asChatbot(ctx), conversation, { assignedTo: userId, teamId })
  if (userId !== null && userId !== conversation.assignedTo)
    notifyAssignedIn(tx, ctx, { userId, conversationId: conversation.id })
}
