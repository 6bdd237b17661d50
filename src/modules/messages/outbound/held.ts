import { and, eq, ne } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { RESTRICTED, TEMPLATE_PAUSED } from '../rules'
import { isPending } from './delivery-state'
import { messages, messageTemplates } from '../table'

const MAX_RELEASED = 5_000

/**
 * The contacts with messages that are held because of a template; a thousand at most, later ones
 * look for themselves.
 */
export const contactsHeldForTemplate = (ctx: Ctx, templateId: string): string[] =>
  ctx.db.orm
    .selectDistinct({ contactId: messages.contactId })
    .from(messageTemplates)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, messageTemplates.organizationId),
        eq(messages.id, messageTemplates.messageId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        messageTemplates,
        and(
          eq(messageTemplates.templateId, templateId),
          eq(messages.stage, 'held'),
          eq(messages.heldReason, TEMPLATE_PAUSED),
        ),
      ),
    )
    .limit(1_000)
    .all()
    .map(({ contactId }) => contactId)

/** Ids of contacts for whom messages are held back on an account, a bounded number. */
export const contactsWithHeldMessages = (ctx: Ctx, accountId: string): string[] =>
  ctx.db.orm
    .selectDistinct({ contactId: messages.contactId })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.accountId, accountId),
          eq(messages.stage, 'held'),
          ne(messages.heldReason, TEMPLATE_PAUSED),
        ),
      ),
    )
    .limit(MAX_RELEASED)
    .all()
    .map(({ contactId }) => contactId)

/** Messages to a contact that wait because the platform lets their number only answer. */
export const heldByRestriction = (
  ctx: Ctx,
  at: { contactId: string; accountId: string },
): string[] =>
  ctx.db.orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, at.contactId),
          eq(messages.accountId, at.accountId),
          eq(messages.stage, 'held'),
          isPending,
          eq(messages.heldReason, RESTRICTED),
        ),
      ),
    )
    .limit(MAX_RELEASED)
    .all()
    .map(({ id }) => id)
