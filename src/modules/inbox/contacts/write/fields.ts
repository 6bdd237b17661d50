import { fieldSentence, ConflictError, InvalidError } from '../../../../lib/errors'
import { freeObjectProblems } from '../../../../lib/free-object'
import { parsePhone, type CountryCode } from '../../../../lib/phone'
import { throwProblems } from '../../../../lib/input-problems'
import type { Ctx } from '../../../../infra/ctx'
import { findAccount } from '../../../channel/accounts/queries'
import { getOrganization } from '../../../organization/organizations/service'
import { checkAttributes } from '../attributes/values'
import { METADATA_LIMITS, type ContactChanges } from '../model'
import { plainChanges, type PlainColumn } from '../plain-fields'
import type { ContactRow } from '../view'
import { isVisible } from '../sight/visibility'

/** Returns the error for an invalid field of a request. */
export const invalid = (path: string, message: string, code = 'invalid_input'): InvalidError =>
  new InvalidError(fieldSentence(path, message), { code, errors: [{ path, message }] })

/**
 * Parses a phone number in any format into E.164 digits. A number without a country code belongs to
 * the organization's country. Throws InvalidError.
 */
export function phoneOf(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  text: string,
  path = 'body.phone_number',
): string {
  const country = getOrganization(ctx).defaultCountry
  // validated when the setting was saved
  const digits = parsePhone(text, country === null ? undefined : (country as CountryCode))
  if (digits === null) throw invalid(path, 'is not a phone number of 7 to 15 digits')
  return digits
}

/** The columns that a request can set. */
export type Fields = Partial<
  Pick<ContactRow, PlainColumn | 'accountId' | 'metadata' | 'attributes'>
>

/** Returns the error `contact_exists`. Names the existing contact if the caller can see it. */
export function contactExists(ctx: Ctx, id: string): ConflictError {
  const details = isVisible(ctx, id) ? { details: { contact_id: id } } : {}
  return new ConflictError('A contact with this `phone_number` or `user_id` already exists.', {
    code: 'contact_exists',
    ...details,
  })
}

/** Converts the fields of a request into columns. Throws InvalidError with every invalid field. */
export function fieldsOf(
  ctx: Ctx,
  before: ContactRow | null,
  input: Omit<ContactChanges, 'phone_number'>,
): Fields {
  const metadata = metadataOf(before, input)
  const held = JSON.parse(before?.attributes ?? '{}') as Record<string, unknown>
  const attributes =
    input.attributes === undefined
      ? undefined
      : mergePatch(held, checkAttributes(ctx, input.attributes))
  if (
    input.account_id !== undefined &&
    input.account_id !== null &&
    findAccount(ctx, input.account_id)?.deletedAtMs !== null
  )
    throw invalid('body.account_id', 'is not a connected phone number')
  return {
    ...plainChanges(input),
    ...(input.account_id === undefined ? {} : { accountId: input.account_id }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
    ...(attributes === undefined ? {} : { attributes: JSON.stringify(attributes) }),
  }
}

function metadataOf(
  before: ContactRow | null,
  input: Pick<ContactChanges, 'metadata' | 'metadata_patch'>,
): Record<string, unknown> | undefined {
  if (input.metadata === undefined && input.metadata_patch === undefined) return undefined
  if (input.metadata_patch !== undefined)
    throwProblems(freeObjectProblems(input.metadata_patch, 'body.metadata_patch', METADATA_LIMITS))
  const held =
    input.metadata === undefined
      ? (JSON.parse(before?.metadata ?? '{}') as Record<string, unknown>)
      : (input.metadata ?? {})
  const metadata = mergePatch(held, input.metadata_patch ?? {})
  throwProblems(
    freeObjectProblems(
      metadata,
      input.metadata === undefined ? 'body.metadata_patch' : 'body.metadata',
      METADATA_LIMITS,
    ),
  )
  return metadata
}

/** Merges a patch into an object. `null` removes a key. */
const mergePatch = (
  held: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...held, ...patch }).filter(([key]) => patch[key] !== null))
