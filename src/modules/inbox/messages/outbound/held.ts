import { and, eq, notInArray } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { TEMPLATE_PAUSED, TEMPLATE_SYNCING } from '../rules'
import { isPending } from './delivery-state'
import { messages, messageTemplates } from '../table'

const MAX_RELEASED = 5_000

/** Contacts with messages held because of a template, up to 1,000; the jobs of all others poll. */
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

/** Contacts with held messages of an account, up to a limit. */
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
          notInArray(messages.heldReason, [TEMPLATE_PAUSED, TEMPLATE_SYNCING]),
        ),
      ),
    )
    .limit(MAX_RELEASED)
    .all()
    .map(({ contactId }) => contactId)

/** Messages to a contact that are held for a reason. */
export const heldMessages = (
  ctx: Ctx,
  at: { contactId: string; accountId: string; reason: string },
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
          eq(messages.heldReason, at.reason),
        ),
      ),
    )
    .limit(MAX_RELEASED)
    .all()
    .map(({ id }) => id)
