import { InvalidError } from '../../../lib/errors'
import type { AccountChanges } from './model'

/**
 * Returns the value of a field that has two names. Throws InvalidError if it is missing, or if both
 * are sent and differ.
 */
export function resolveAlias(
  value: string | undefined,
  alias: string | undefined,
  path: string,
): string {
  const chosen = value ?? alias
  if (chosen === undefined || (value !== undefined && alias !== undefined && value !== alias))
    throw new InvalidError(`\`${path}\` is required.`, {
      code: 'invalid_input',
      errors: [{ path: `body.${path}`, message: 'is required; send it only under one name' }],
    })
  return chosen
}

/** Returns the changes with aliases of the two IDs resolved. */
export function resolveAliases({
  phone_number_id,
  waba_id,
  ...changes
}: AccountChanges): Omit<AccountChanges, 'phone_number_id' | 'waba_id'> {
  return {
    ...changes,
    ...(phone_number_id === undefined
      ? {}
      : { phone_id: resolveAlias(changes.phone_id, phone_number_id, 'phone_id') }),
    ...(waba_id === undefined
      ? {}
      : { business_id: resolveAlias(changes.business_id, waba_id, 'business_id') }),
  }
}
