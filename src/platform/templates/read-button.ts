import { isObject, listOf, textOf, wordOf, type JsonObject } from '../lenient-json'
import { variablesOf, type Button, type SupportedApp } from './components'
import { type FlowIds } from './wire-format'

const firstOf = (value: unknown): string | null =>
  textOf(Array.isArray(value) ? listOf(value)[0] : value)

/** Converts a button from the platform's format. Unknown types are kept unchanged. */
export function readButton(wire: JsonObject, isAuthentication: boolean, flows: FlowIds): Button {
  const type = (wordOf(wire.type) ?? '').toUpperCase()
  const text = textOf(wire.text)
  const label = text === null ? {} : { text }
  switch (type) {
    case 'URL': {
      const url = textOf(wire.url) ?? ''
      // The platform reports one-time code buttons as URL buttons with a URL of its own.
      if (isAuthentication)
        return { type: 'OTP', otp_type: otpTypeOf(url, wire), ...label, ...otpFacts(wire) }
      const example = firstOf(wire.example)
      return {
        type,
        text: text ?? '',
        url,
        ...(example === null || variablesOf(url).length === 0 ? {} : { example: [example] }),
      }
    }
    case 'PHONE_NUMBER':
      return {
        type,
        text: text ?? '',
        phone_number: (textOf(wire.phone_number) ?? '').replaceAll(/\D/g, ''),
      }
    case 'COPY_CODE':
      return { type, ...label, example: firstOf(wire.example) ?? '' }
    case 'OTP':
      return {
        type,
        otp_type: (wordOf(wire.otp_type) ?? 'COPY_CODE').toUpperCase(),
        ...label,
        ...otpFacts(wire),
      }
    case 'FLOW': {
      const [id, name, json] = [
        wordOf(wire.flow_id),
        wordOf(wire.flow_name),
        textOf(wire.flow_json),
      ]
      const [action, screen] = [
        wordOf(wire.flow_action)?.toLowerCase(),
        wordOf(wire.navigate_screen) ?? wordOf(wire.screen),
      ]
      return {
        type,
        text: text ?? '',
        ...(id === null ? {} : { flow_id: flows.toLocalId(id) }),
        ...(name === null ? {} : { flow_name: name }),
        ...(json === null ? {} : { flow_json: json }),
        ...(action === undefined ? {} : { flow_action: action }),
        ...(screen === null ? {} : { screen }),
      }
    }
    default: {
      if (
        [
          'QUICK_REPLY',
          'CATALOG',
          'MPM',
          'SPM',
          'VOICE_CALL',
          'CALL_PERMISSION_REQUEST',
          'REQUEST_CONTACT_INFO',
        ].includes(type)
      )
        return { type: type as 'QUICK_REPLY', ...label }
      return { ...wire, type } as unknown as Button // unknown type: kept unchanged
    }
  }
}

const otpTypeOf = (url: string, wire: JsonObject): string =>
  (
    wordOf(wire.otp_type) ??
    (URL.canParse(url) ? new URL(url).searchParams.get('otp_type') : null) ??
    'COPY_CODE'
  ).toUpperCase()

function otpFacts(wire: JsonObject): {
  autofill_text?: string
  supported_apps?: SupportedApp[]
  zero_tap_terms_accepted?: boolean
} {
  const apps = listOf(wire.supported_apps)
    .filter(isObject)
    .map((app) => ({
      package_name: wordOf(app.package_name) ?? '',
      signature_hash: wordOf(app.signature_hash) ?? '',
    }))
  const autofill = textOf(wire.autofill_text)
  return {
    ...(autofill === null ? {} : { autofill_text: autofill }),
    ...(apps.length === 0 ? {} : { supported_apps: apps }),
    ...(wire.zero_tap_terms_accepted === true ? { zero_tap_terms_accepted: true } : {}),
  }
}
