import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { expedite } from '../../../../infra/jobs/waiting-jobs'
import { SendMessage } from '../jobs'
import { contactsHeldForTemplate, contactsWithHeldMessages, heldMessages } from './held'
import { RESTRICTED, sendKey } from '../rules'

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
export const releaseAnswersIn = (
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId }: { contactId: string; accountId: string },
): void => expediteHeldIn(tx, ctx, { contactId, accountId, reason: RESTRICTED })

/** Lets the messages to a contact run now that are held for a reason. */
export function expediteHeldIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; accountId: string; reason: string },
): void {
  for (const messageId of heldMessages(ctx, at))
    expedite(tx, ctx, {
      kind: SendMessage.name,
      orderingKeys: [sendKey(at.contactId)],
      args: { messageId },
    })
}
