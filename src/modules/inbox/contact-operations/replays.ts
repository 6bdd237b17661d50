import { inArray } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../../lib/errors'
import { ctxOf, inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import type { Replays } from '../../../infra/idempotency/replays'
import { contacts } from '../contacts/table'
import { isVisible, masksNumbers } from '../contacts/sight/visibility'
import { conversations } from '../conversations/table'
import { messages } from '../messages/table'

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Checks whether stored idempotent responses contain only data their caller can still see. */
export const createReplays = (deps: Deps): Replays => ({
  masksNumbers: (actor) => masksNumbers(ctxOf(deps, actor)),
  requireVisible(actor, { route, answer }) {
    const ctx = ctxOf(deps, actor)
    const named = contactsNamedIn(ctx, [
      ...new Set(`${route} ${JSON.stringify(answer.data)}`.match(IDS)),
    ])
    if (!named.every((id) => isVisible(ctx, id))) throw new NotFoundError('Contact')
    if (named.length > 0 && !answer.isMasked && masksNumbers(ctx))
      throw new ConflictError(
        'The first request with this `Idempotency-Key` succeeded. Its response is not returned ' +
          'again because it may contain phone numbers that are now masked for you.',
        { code: 'idempotency_interrupted' },
      )
  },
})

/**
 * Returns the given IDs that are contacts, and the contacts of given conversations and messages.
 */
function contactsNamedIn(ctx: Ctx, ids: string[]): string[] {
  const { orm } = ctx.db
  const ofConversations = orm
    .select({ id: conversations.contactId })
    .from(conversations)
    .where(inOrganization(ctx, conversations, inArray(conversations.id, ids)))
    .all()
  const ofMessages = orm
    .select({ id: messages.contactId })
    .from(messages)
    .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
    .all()
  return survivorsOf(ctx, [...ids, ...[...ofConversations, ...ofMessages].map(({ id }) => id)])
}

/** Returns the given IDs that are contacts. Replaces a merged contact with its merge target. */
function survivorsOf(ctx: Ctx, ids: string[]): string[] {
  const rows = ctx.db.orm
    .select({ id: contacts.id, mergedInto: contacts.mergedInto })
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .all()
  const merged = rows.map(({ mergedInto }) => mergedInto).filter((id) => id !== null)
  const kept = rows.filter(({ mergedInto }) => mergedInto === null).map(({ id }) => id)
  return [...new Set([...kept, ...(merged.length === 0 ? [] : survivorsOf(ctx, merged))])]
}
