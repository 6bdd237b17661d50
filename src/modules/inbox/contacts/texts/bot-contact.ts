import { and, desc, eq, isNull } from 'drizzle-orm'

import { languageOfTexts } from '../../../../lib/guess-language'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { messages } from '../../messages/table'
import { templateContact, type TemplateContact } from './template-values'
import type { ContactRow } from '../view'

/** Messages that a guess reads. */
const MAX_MESSAGES = 20

/**
 * Returns a contact as texts of the bot see it: a language that is not known is guessed from what
 * the contact wrote. `isMasked` masks its numbers.
 */
export function botContact(ctx: Ctx, row: ContactRow | null, isMasked = false): TemplateContact {
  const contact = templateContact(ctx, row, isMasked)
  if (row === null || contact.language !== null) return contact
  return inLanguage(contact, languageOfTexts(newestTexts(ctx, row.id)))
}

/** Returns a contact with a language. */
export const inLanguage = (contact: TemplateContact, language: string | null): TemplateContact => ({
  ...contact,
  language,
  values: { ...contact.values, language },
})

/** Returns the texts that a contact wrote last, the newest first. */
const newestTexts = (ctx: Ctx, contactId: string): string[] =>
  ctx.db.orm
    .select({ content: messages.content })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, contactId),
          eq(messages.direction, 'incoming'),
          eq(messages.type, 'text'),
          isNull(messages.revokedAtMs),
        ),
      ),
    )
    .orderBy(desc(messages.timestampMs))
    .limit(MAX_MESSAGES)
    .all()
    .flatMap(({ content }) => {
      const { text } = JSON.parse(content) as { text?: unknown }
      return typeof text === 'string' ? [text] : []
    })
