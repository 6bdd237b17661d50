import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { expedite } from '../../../infra/jobs/waiting-jobs'
import { SendMessage } from '../jobs'
import { contactsHeldForTemplate, contactsWithHeldMessages, heldByRestriction } from './held'
import { sendKey } from '../rules'

/** Lets the messages run now that are held because of their phone number. */
export const releaseHeldIn = (tx: Tx, ctx: Ctx, accountId: string): void =>
  releaseIn(tx, ctx, contactsWithHeldMessages(ctx, accountId))

/** Lets the messages run now that are held because of their template. */
export const releaseForTemplateIn = (tx: Tx, ctx: Ctx, templateId: string): void =>
  releaseIn(tx, ctx, contactsHeldForTemplate(ctx, templateId))

const releaseIn = (tx: Tx, ctx: Ctx, contactIds: string[]): void =>
  expedite(tx, ctx, { kind: SendMessage.name, orderingKeys: contactIds.map(sendKey) })

/**
 * Lets the messages to a contact run now that were held until the customer opened the 24-hour
 * window, because their phone number is restricted.
 */
export function releaseAnswersIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId }: { contactId: string; accountId: string },
): void {
  for (const messageId of heldByRestriction(ctx, { contactId, accountId }))
    expedite(tx, ctx, {
      kind: SendMessage.name,
      orderingKeys: [sendKey(contactId)],
      args: { messageId },
    })
}
