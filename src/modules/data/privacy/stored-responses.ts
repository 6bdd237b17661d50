import { Value } from '@sinclair/typebox/value'
import { and, eq, inArray, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { personIdIn } from '../../../platform/webhook/redact-person'
import { messageFiles, messages } from '../../inbox/messages/table'
import { notes } from '../../inbox/contacts/notes/table'
import { PrivacyRequestView } from './model'

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/**
 * The person to look for in stored responses: the IDs of the contact and of contacts merged into
 * it, and keyed hashes of their numbers and user IDs.
 */
export interface Person {
  contactIds: string[]
  traces: string[]
  /** Ids of what was deleted with the person. */
  goneIds: string[]
}

/**
 * Reports whether a response is a privacy request without a reason, which holds only IDs, times and
 * counts.
 */
const isReceipt = (data: unknown): boolean =>
  Value.Check(PrivacyRequestView, data) && data.reason === null

/**
 * Returns a function that reports whether a stored idempotent response mentions a person: the
 * contact, one of its messages, files or notes, or one of its numbers and user IDs. Erasure
 * receipts do not count, so that a repeated request gets the same receipt. Call it before messages
 * and notes are erased.
 */
export const answerFinder = (ctx: Ctx, person: Person) => {
  const traces = new Set(person.traces)
  return ({ route, data }: { route: string; data: unknown }): boolean => {
    if (isReceipt(data)) return false
    const ids = [...new Set(`${route} ${JSON.stringify(data)}`.match(IDS))]
    return (
      ids.some((id) => person.contactIds.includes(id) || person.goneIds.includes(id)) ||
      hasPartOf(ctx, person.contactIds, ids) ||
      namesOne(ctx, traces, data)
    )
  }
}

/** Reports whether one of the IDs is a message, file or note of the contact. */
function hasPartOf(ctx: Ctx, contactIds: string[], ids: string[]): boolean {
  if (ids.length === 0) return false
  const ofContact = inArray(messages.contactId, contactIds)
  const said = ctx.db.orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(ofContact, or(inArray(messages.id, ids), inArray(messages.mediaId, ids))),
      ),
    )
    .limit(1)
    .get()
  const inCards = ctx.db.orm
    .select({ id: messages.id })
    .from(messageFiles)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageFiles.organizationId),
        eq(messages.id, messageFiles.messageId),
      ),
    )
    .where(inOrganization(ctx, messageFiles, and(inArray(messageFiles.mediaId, ids), ofContact)))
    .limit(1)
    .get()
  const written = ctx.db.orm
    .select({ id: notes.id })
    .from(notes)
    .where(
      inOrganization(ctx, notes, and(inArray(notes.id, ids), inArray(notes.contactId, contactIds))),
    )
    .limit(1)
    .get()
  return [said, inCards, written].some((row) => row !== undefined)
}

/** Reports whether a value is, or contains, one of the person's numbers or user IDs. */
function namesOne(ctx: Ctx, traces: ReadonlySet<string>, value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((member) => namesOne(ctx, traces, member))
  const name = personIdIn(value)
  return name !== null && ctx.vault.codeDigests(name).some((mark) => traces.has(mark))
}
