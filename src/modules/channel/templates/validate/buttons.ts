import { webUrl } from '../../../../lib/web-url'
import {
  isObject,
  listOf,
  textOf,
  wordOf,
  type JsonObject,
} from '../../../../platform/lenient-json'
import { variablesOf, type Button } from '../../../../platform/templates/components'
import { LIMITS, readPlainText, readOptionalText, readText, type TextReading } from './texts'
import { readOtpButton, withoutUndefined } from './otp-button'

const PLAIN_TYPES = [
  'CATALOG',
  'MPM',
  'SPM',
  'VOICE_CALL',
  'CALL_PERMISSION_REQUEST',
  'REQUEST_CONTACT_INFO',
] as const

/** Maximum number of buttons of each type, if lower than the overall maximum. */
const MAX_BY_TYPE: Readonly<Record<string, number>> = {
  URL: 2,
  PHONE_NUMBER: 1,
  COPY_CODE: 1,
  FLOW: 1,
  OTP: 1,
  CATALOG: 1,
  MPM: 1,
  SPM: 1,
  VOICE_CALL: 1,
  CALL_PERMISSION_REQUEST: 1,
  REQUEST_CONTACT_INFO: 1,
}

const MAX_BUTTONS = 10

/** Reads the buttons of a template or card and reports their errors. */
export function readButtons(
  reading: TextReading,
  path: string,
  value: unknown,
  bounds: { most?: number } = {},
): Button[] {
  const { report } = reading
  const { most: max = MAX_BUTTONS } = bounds
  const given = listOf(value)
  if (!Array.isArray(value) || given.length === 0) report(path, 'is required: at least one button')
  else if (given.length > max) report(path, `must have at most ${max} buttons`)
  const buttons = given.flatMap((button, index) => {
    const read = readButton(reading, `${path}.${index}`, button, index)
    return read ? [read] : []
  })
  checkButtonTypes(reading, path, buttons)
  return buttons
}

function readButton(
  reading: TextReading,
  path: string,
  value: unknown,
  index: number,
): Button | null {
  const button = isObject(value) ? value : {}
  const type = (wordOf(button.type) ?? '').toUpperCase()
  const label = () => readPlainText(reading, `${path}.text`, button.text, LIMITS.label)
  const optionalLabel = () => {
    const text = readOptionalText(reading, `${path}.text`, button.text, LIMITS.label)
    return text === undefined ? {} : { text }
  }
  const plain = PLAIN_TYPES.find((known) => known === type)
  if (plain) return { type: plain, ...optionalLabel() }
  switch (type) {
    case 'QUICK_REPLY':
      return { type, text: label() }
    case 'URL':
      return { type, text: label(), ...readUrl(reading, path, button, index) }
    case 'PHONE_NUMBER':
      return {
        type,
        text: label(),
        phone_number: readPhone(reading, `${path}.phone_number`, button.phone_number),
      }
    case 'COPY_CODE':
      return { type, ...optionalLabel(), example: readCode(reading, path, button, index) }
    case 'FLOW':
      return { type, text: label(), ...readFlowButton(reading, path, button) }
    case 'OTP':
      return { type, ...optionalLabel(), ...readOtpButton(reading, path, button) }
    default:
      reading.report(
        `${path}.type`,
        `must be one of QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, FLOW, OTP, ${PLAIN_TYPES.join(', ')}`,
      )
      return null
  }
}

/** Returns the separate example of a button. */
const sampleOf = ({ samples, card }: TextReading, index: number): string | undefined =>
  samples.find(
    (sample) =>
      sample.component.toUpperCase() === 'BUTTONS' &&
      (sample.card ?? null) === card &&
      (sample.index ?? Number(sample.param_name)) === index,
  )?.value

const firstOf = (value: unknown): string | undefined =>
  textOf(Array.isArray(value) ? listOf(value)[0] : value) ?? undefined

function readUrl(
  reading: TextReading,
  path: string,
  button: JsonObject,
  index: number,
): { url: string; example?: string[] } {
  const { report } = reading
  const url = readText(reading, `${path}.url`, button.url, LIMITS.url)
  const names = variablesOf(url)
  const address = url.replace(/\{\{1\}\}$/, '')
  if (variablesOf(address).length > 0 || (names.length > 0 && names[0] !== '1'))
    report(`${path}.url`, 'supports only one variable, {{1}}, at its end')
  else if (url.trim() !== '' && !(/^[^\s{}]+$/.test(address) && webUrl(address)))
    report(`${path}.url`, 'must be an http or https URL')
  if (names.length === 0) return { url }
  const example = firstOf(button.example) ?? sampleOf(reading, index) ?? ''
  if (example.trim() === '')
    report(`${path}.example`, 'is required: an example of {{1}}, or of the whole URL')
  return { url, example: [example] }
}

function readPhone({ report }: TextReading, path: string, value: unknown): string {
  const digits = (textOf(value) ?? '').replaceAll(/[\s()+.-]/g, '')
  if (value === undefined || value === null) report(path, 'is required')
  else if (!/^\d{5,20}$/.test(digits)) report(path, 'must be a phone number of up to 20 digits')
  return digits
}

function readCode(reading: TextReading, path: string, button: JsonObject, index: number): string {
  const code = firstOf(button.example) ?? sampleOf(reading, index)
  return readPlainText(reading, `${path}.example`, code, LIMITS.code)
}

type FlowFields = Omit<Extract<Button, { type: 'FLOW' }>, 'type' | 'text'>

function readFlowButton(reading: TextReading, path: string, button: JsonObject): FlowFields {
  const named = ['flow_id', 'flow_name', 'flow_json'].filter(
    (key) => button[key] !== undefined && button[key] !== null,
  )
  if (named.length !== 1)
    reading.report(`${path}.flow_id`, 'or flow_name or flow_json is required, but only one of them')
  const word = (key: string, max: number) =>
    readOptionalText(reading, `${path}.${key}`, button[key], max)
  const screen = word(button.screen === undefined ? 'navigate_screen' : 'screen', 200)
  const action = word('flow_action', 20)?.toLowerCase()
  if (action !== undefined && action !== 'navigate' && action !== 'data_exchange')
    reading.report(`${path}.flow_action`, 'must be navigate or data_exchange')
  const flow = {
    flow_id: word('flow_id', 64),
    flow_name: word('flow_name', 200),
    flow_json: textOf(button.flow_json) ?? undefined,
  }
  return withoutUndefined({ ...flow, flow_action: action, screen })
}

function checkButtonTypes(
  { report, isAuthentication }: TextReading,
  path: string,
  buttons: readonly Button[],
): void {
  for (const [type, max] of Object.entries(MAX_BY_TYPE))
    if (buttons.filter((button) => button.type === type).length > max)
      report(path, `must have at most ${max} buttons of type ${type}`)
  const isReply = buttons.map(({ type }) => type === 'QUICK_REPLY')
  const [first, last] = [isReply.indexOf(true), isReply.lastIndexOf(true)]
  if (first >= 0 && isReply.slice(first, last).includes(false))
    report(path, 'must have its quick replies next to each other')
  const hasOtp = buttons.some(({ type }) => type === 'OTP')
  if (hasOtp && buttons.length > 1)
    report(path, 'must not have other buttons next to an OTP button')
  if (hasOtp && !isAuthentication)
    report(path, 'allows an OTP button only for the category AUTHENTICATION')
  const labels = buttons.flatMap(({ type, text }) => (type === 'QUICK_REPLY' && text ? [text] : []))
  if (new Set(labels).size < labels.length)
    report(path, 'must have quick replies with different texts')
}
