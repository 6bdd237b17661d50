import { isObject, listOf, wordOf, type JsonObject } from '../../../../platform/lenient-json'
import type { Button, SupportedApp } from '../../../../platform/templates/components'
import { LIMITS, readOptionalText, type TextReading } from './texts'

const OTP_TYPES = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP']

type OtpFields = Omit<Extract<Button, { type: 'OTP' }>, 'type' | 'text'>

/** Reads the fields of an OTP button and reports their errors. */
export function readOtpButton(reading: TextReading, path: string, button: JsonObject): OtpFields {
  const { report } = reading
  const otpType = (wordOf(button.otp_type) ?? '').toUpperCase()
  if (!OTP_TYPES.includes(otpType))
    report(`${path}.otp_type`, `must be one of ${OTP_TYPES.join(', ')}`)
  const apps = readApps(reading, path, button)
  if (otpType !== 'COPY_CODE' && OTP_TYPES.includes(otpType) && apps.length === 0)
    report(`${path}.supported_apps`, `is required for ${otpType}: the apps that receive the code`)
  if (otpType === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true)
    report(
      `${path}.zero_tap_terms_accepted`,
      "must be true to accept the platform's terms for zero-tap codes",
    )
  return withoutUndefined({
    otp_type: otpType,
    autofill_text: readOptionalText(
      reading,
      `${path}.autofill_text`,
      button.autofill_text,
      LIMITS.label,
    ),
    supported_apps: apps.length === 0 ? undefined : apps,
    zero_tap_terms_accepted: button.zero_tap_terms_accepted === true ? true : undefined,
  })
}

/**
 * Returns the apps of a button. Older examples of the platform name one app in the button itself.
 */
function readApps({ report }: TextReading, path: string, button: JsonObject): SupportedApp[] {
  const given = Array.isArray(button.supported_apps)
    ? listOf(button.supported_apps)
    : button.package_name === undefined
      ? []
      : [button]
  if (given.length > 5) report(`${path}.supported_apps`, 'must have at most 5 items')
  return given.map((value, index) => {
    const app = isObject(value) ? value : {}
    const read = {
      package_name: wordOf(app.package_name) ?? '',
      signature_hash: wordOf(app.signature_hash) ?? '',
    }
    const check = (name: keyof SupportedApp, form: RegExp, sentence: string): void => {
      if (form.test(read[name])) return
      report(
        `${path}.supported_apps.${index}.${name}`,
        read[name] === '' ? 'is required' : sentence,
      )
    }
    check(
      'package_name',
      /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/,
      'must be an Android package name, such as com.example.app',
    )
    check('signature_hash', /^[\w%+/=-]{11,40}$/, 'must be the app signature hash of 11 characters')
    return read
  })
}

/** Returns an object without its undefined members. */
export const withoutUndefined = <T extends object>(
  members: T,
): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
