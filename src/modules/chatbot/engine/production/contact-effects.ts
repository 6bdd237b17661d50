import { inArray } from 'drizzle-orm'

import { AppError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../../audit/record'
import { problemsOfAttributes } from '../../../contacts/attributes/values'
import { appendConsentIn } from '../../../contacts/consent/ledger'
import { ContactChanged } from '../../../contacts/events'
import { findContact } from '../../../contacts/service'
import { addTagsIn, newTagsWithinLimit, removeTagsIn } from '../../../contacts/tags'
import { changeFieldsIn } from '../../../contacts/update'
import { assignIn as assignConversationIn } from '../../../conversations/assign'
import { findConversation } from '../../../conversations/service'
import { findActiveMember } from '../../../memberships/find'
import { tags } from '../../../tags/table'
import { findTeam } from '../../../teams/find'
import type { ContactUpdate } from '../ports'
import type { Place } from './store'

/** Maximum lengths of the fields of a contact. */
const LIMITS = { name: 255, language: 35 }

/** The context of changes that the bot makes. The audit log names it. */
export const asChatbot = (ctx: Ctx): Ctx => ({
  ...ctx,
  actor: { ...ctx.actor, userName: 'chatbot' },
})

/**
 * Changes a contact for a bot flow, audited as `chatbot`, in the caller's transaction. Returns
 * `error` and changes nothing if a value does not fit its definition.
 */
export function updateContactIn(
  tx: Tx,
  ctx: Ctx,
  contactId: string,
  { name, language, attributes = {}, marketingConsent }: ContactUpdate,
): 'default' | 'error' {
  if (!isValidUpdate(ctx, { name, language, attributes })) return 'error'
  const contact = findContact(ctx, contactId)
  if (!contact) return 'error'
  try {
    savepoint(tx, (inner) => {
      changeFieldsIn(inner, asChatbot(ctx), contact, {
        ...(name === undefined ? {} : { name }),
        ...(language === undefined ? {} : { language }),
        // checked against their definitions above
        ...(Object.keys(attributes).length === 0 ? {} : { attributes: attributes as never }),
      })
      if (marketingConsent !== undefined) recordConsentIn(inner, ctx, contactId, marketingConsent)
    })
    return 'default'
  } catch (error) {
    if (error instanceof AppError) return 'error'
    throw error
  }
}

/** Reports whether the values of an update fit their definitions. */
export const isValidUpdate = (
  ctx: Ctx,
  { name, language, attributes = {} }: ContactUpdate,
): boolean =>
  (name?.length ?? 0) <= LIMITS.name &&
  (language === undefined || (language.length <= LIMITS.language && isLanguage(language))) &&
  problemsOfAttributes(ctx, attributes).length === 0

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
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
 * without a person. One that has gone becomes the general queue.
 */
export function assignIn(
  tx: Tx,
  ctx: Ctx,
  place: Place,
  to: { userId: string | null; teamId: string | null },
): void {
  const conversation = findConversation(ctx, place)
  if (!conversation) return
  const userId = to.userId !== null && findActiveMember(ctx, to.userId) ? to.userId : null
  const team = to.teamId === null ? null : findTeam(ctx, to.teamId)
  const teamId = team?.isActive === true ? team.id : null
  assignConversationIn(tx, asChatbot(ctx), conversation, { assignedTo: userId, teamId })
}
