import type {
  AddressRequestContent,
  InteractiveContent,
} from '../../../../../platform/send/content'
import { freeObjectProblems } from '../../../../../lib/free-object'
import {
  boundedList,
  optionalText,
  requiredText,
  type Report,
} from '../../../../../lib/input-problems'
import { LIMITS, MAX_COUNTS } from '../rules'
import type { InteractiveInput } from './model'
import { INTERACTIVE_PATH } from './sections'

type Free = Record<string, unknown>

/** Limits of an object whose fields only the platform knows. */
const MAX_FREE = { bytes: 64 * 1024, levels: 10 }

/** Reads an object whose fields only the platform knows. */
export function readFree(report: Report, path: string, value: Free | undefined): Free | null {
  if (value === undefined) return null
  for (const problem of freeObjectProblems(value, path, MAX_FREE))
    report(problem.path, problem.message)
  return value
}

/** Reads the request for a postal address. The platform knows the fields of each country. */
export function readAddressRequest(
  report: Report,
  input: InteractiveInput,
): Pick<AddressRequestContent, 'country' | 'values' | 'saved_addresses' | 'validation_errors'> {
  const at = (field: string): string => `${INTERACTIVE_PATH}.${field}`
  const country = requiredText(report, at('country'), input.country, 2)
  if (country !== '' && !/^[A-Z]{2}$/.test(country))
    report(at('country'), 'must be a country code such as IN')
  const addresses =
    input.saved_addresses === undefined
      ? []
      : boundedList(report, at('saved_addresses'), input.saved_addresses, [
          0,
          MAX_COUNTS.savedAddresses,
        ])
  return {
    country,
    values: readFree(report, at('values'), input.values),
    saved_addresses: addresses.map(({ id, value }, index) => ({
      id: requiredText(report, `${at('saved_addresses')}.${index}.id`, id, LIMITS.rowId),
      value: readFree(report, `${at('saved_addresses')}.${index}.value`, value) ?? {},
    })),
    validation_errors: readFree(report, at('validation_errors'), input.validation_errors),
  }
}

type CallButton = Extract<InteractiveContent, { kind: 'voice_call' }>

/** Reads the button that calls the business. */
export function readCallButton(
  report: Report,
  { button_text, ttl_minutes, payload }: InteractiveInput,
): Pick<CallButton, 'button_text' | 'ttl_minutes' | 'payload'> {
  const at = (field: string): string => `${INTERACTIVE_PATH}.${field}`
  if (ttl_minutes !== undefined && (ttl_minutes < 1 || ttl_minutes > LIMITS.callMinutes))
    report(at('ttl_minutes'), `must be a number from 1 to ${LIMITS.callMinutes}`)
  return {
    button_text: optionalText(report, at('button_text'), button_text, LIMITS.buttonText),
    ttl_minutes: ttl_minutes ?? null,
    payload: optionalText(report, at('payload'), payload, LIMITS.callPayload),
  }
}
