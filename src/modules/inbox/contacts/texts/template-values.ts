import { isoTime } from '../../../../lib/clock'
import { maskPhone } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { tagsOf } from '../tags'
import { nameOf, plainValuesOf, type ContactRow } from '../view'

/** A contact as templates see it. */
export interface TemplateContact {
  phoneNumber: string | null
  /** Its name, else its profile name or username. */
  name: string | null
  language: string | null
  /** Of the phone number (ISO 3166-1). */
  country: string | null
  /** The values of `contact.*`. */
  values: Record<string, unknown>
}

/** Returns a contact as templates see it, with its numbers masked if asked for. */
export function templateContact(
  ctx: Ctx,
  row: ContactRow | null,
  isMasked = false,
): TemplateContact {
  const name = row && nameOf(row, isMasked)
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
          ...plainValuesOf(row, isMasked),
          id: row.id,
          name,
          phone_number: phoneNumber,
          country: row.country,
          marketing_consent: row.marketingConsent,
          attributes,
          tags: (tagsOf(ctx, [row.id]).get(row.id) ?? []).map((tag) => tag.name),
        }
      : {},
  }
}

/** Returns the values that every template to a contact sees. */
export const builtInValues = (
  { phoneNumber, name, values }: TemplateContact,
  { text, nowMs }: { text: string | null; nowMs: number },
): Record<string, unknown> => ({
  phone_number: phoneNumber,
  contact_name: name,
  contact: values,
  message: { text },
  now: isoTime(nowMs),
})
