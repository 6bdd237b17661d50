import { maskPhone } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { tagsOf } from '../../../contacts/tags'
import { displayNameOf, type ContactRow } from '../../../contacts/view'
import type { BotContact } from '../ports'

/** Returns a contact as templates and conditions see it, with its numbers masked if asked for. */
export function contactOf(ctx: Ctx, row: ContactRow | null, isMasked = false): BotContact {
  const name = row && displayNameOf(row, isMasked)
  const number = row?.phoneNumber ?? null
  const phoneNumber = isMasked && number !== null ? maskPhone(number) : number
  const attributes = JSON.parse(row?.attributes ?? '{}') as Record<string, unknown>
  return {
    phoneNumber,
    name,
    language: row?.language ?? null,
    country: row?.country ?? null,
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
