import type { Ctx } from '../../../../infra/ctx'
import { tagsOf } from '../../../contacts/tags'
import { displayNameOf, type ContactRow } from '../../../contacts/view'
import type { BotContact } from '../ports'

/** Returns a contact as templates and conditions see it. */
export function contactOf(ctx: Ctx, row: ContactRow | null): BotContact {
  const name = row && displayNameOf(row, false)
  const phoneNumber = row?.phoneNumber ?? null
  const attributes = JSON.parse(row?.attributes ?? '{}') as Record<string, unknown>
  return {
    phoneNumber,
    name,
    language: row?.language ?? null,
    values: row
      ? {
          ...attributes,
          id: row.id,
          name,
          phone_number: phoneNumber,
          language: row.language,
          country: row.country,
          marketing_consent: row.marketingConsent,
          attributes,
          tags: (tagsOf(ctx, [row.id]).get(row.id) ?? []).map((tag) => tag.name),
        }
      : {},
  }
}
