import { isObject, listOf, numberOf, wordOf } from '../../../platform/lenient-json'
import type {
  TemplateParameter,
  TemplateComponentParameters,
} from '../../../platform/send/template'
import { fillText, variablesOf, type Button } from '../../../platform/templates/components'
import { scalarOf, textProblem, type Findings } from './values'

const LIMITS = { payload: 256, url: 2_000, code: 15, token: 500, flowBytes: 8_192 } as const
const MAX_PRODUCTS = 30
const MAX_SECTIONS = 10

/** A button as the customer sees it. */
export interface RenderedButton {
  type: string
  text: string | null
  url?: string
  phone_number?: string
  code?: string
  payload?: string
}

/** What a sender gives for buttons. */
export interface ButtonsInput {
  /** Where the values stand in the body, for example `body.button_params`. */
  path: string
  /** How people name them, for example `button_params`. */
  label: string
  values: Record<string, unknown>
  flow: Record<string, unknown>
  /** The one-time code, of authentication templates. */
  code: string | null
}

/**
 * One filled button: what the platform is told of it, `null` where there is nothing to say, and
 * what the customer sees.
 */
interface FilledButton {
  parameters: TemplateParameter[] | null
  subType: string
  rendered: RenderedButton
}

interface Asked {
  findings: Findings
  path: string
  label: string
  value: unknown
  flow: Record<string, unknown>
  flowPath: string
  code: string | null
}

/** Fills in the buttons; notes what is missing, wrong or too much. */
export function fillButtons(
  findings: Findings,
  buttons: readonly Button[],
  asked: ButtonsInput,
): { parts: TemplateComponentParameters[]; rendered: RenderedButton[] } {
  const { path, label, values } = asked
  for (const key of Object.keys(values))
    if (buttons[Number(key)] === undefined || !/^\d$/.test(key))
      findings.refuses(`${path}.${key}`, 'is not a button of the template')
  const filled = buttons.map((button, index) =>
    fillButton(button, {
      findings,
      path: `${path}.${index}`,
      label: `${label}.${index}`,
      value: values[String(index)],
      flow: asked.flow,
      flowPath: path.replace(/button_params$/, 'flow_params'),
      code: asked.code,
    }),
  )
  const hasFlow = buttons.some(({ type }) => type === 'FLOW')
  if (!hasFlow && Object.keys(asked.flow).length > 0)
    findings.refuses(
      path.replace(/button_params$/, 'flow_params'),
      'cannot be used because the template has no flow button',
    )
  const parts = filled.flatMap(({ parameters, subType }, index) =>
    parameters === null
      ? []
      : [{ type: 'button' as const, sub_type: subType, index: String(index), parameters }],
  )
  return { parts, rendered: filled.map(({ rendered }) => rendered) }
}

function fillButton(button: Button, asked: Asked): FilledButton {
  const { findings, path, value } = asked
  const plain = (subType = ''): FilledButton => ({
    parameters: null,
    subType,
    rendered: { type: button.type, text: button.text ?? null },
  })
  switch (button.type) {
    case 'URL':
      return fillUrl(button, asked)
    case 'QUICK_REPLY': {
      const payload = oneText(asked, LIMITS.payload, false)
      const shown = { ...plain('quick_reply').rendered, ...(payload === null ? {} : { payload }) }
      return {
        parameters: payload === null ? null : [{ type: 'payload', payload }],
        subType: 'quick_reply',
        rendered: shown,
      }
    }
    case 'COPY_CODE': {
      const code = oneText(asked, LIMITS.code, true)
      const shown = { ...plain().rendered, ...(code === null ? {} : { code }) }
      return {
        parameters: code === null ? null : [{ type: 'coupon_code', coupon_code: code }],
        subType: 'copy_code',
        rendered: shown,
      }
    }
    case 'OTP': {
      if (value !== undefined && scalarOf(value) !== asked.code)
        findings.refuses(path, 'must equal the code in the body')
      const { code } = asked
      return { ...plain('url'), parameters: code === null ? null : [{ type: 'text', text: code }] }
    }
    case 'FLOW':
      return { ...plain('flow'), parameters: flowParameters(asked) }
    case 'CATALOG': {
      const id = wordOf(isObject(value) ? value['thumbnail_product_retailer_id'] : value)
      return {
        ...plain('catalog'),
        parameters:
          id === null ? null : [{ type: 'action', action: { thumbnail_product_retailer_id: id } }],
      }
    }
    case 'MPM':
      return { ...plain('mpm'), parameters: productParameters(asked) }
    case 'VOICE_CALL':
      return { ...plain('voice_call'), parameters: callParameters(asked) }
    case 'PHONE_NUMBER':
      return {
        ...nothing(asked, plain()),
        rendered: { ...plain().rendered, phone_number: button.phone_number },
      }
    default:
      return nothing(asked, plain())
  }
}

/** A button that takes no value. */
function nothing({ findings, path, value }: Asked, filled: FilledButton): FilledButton {
  if (value !== undefined && value !== null) findings.refuses(path, 'is a button without a value')
  return filled
}

function fillUrl(button: Extract<Button, { type: 'URL' }>, asked: Asked): FilledButton {
  const shown: RenderedButton = { type: button.type, text: button.text, url: button.url }
  if (variablesOf(button.url).length === 0)
    return nothing(asked, { parameters: null, subType: 'url', rendered: shown })
  const text = oneText(asked, LIMITS.url, true)
  if (text === null) return { parameters: null, subType: 'url', rendered: shown }
  if (/\s/.test(text))
    asked.findings.refuses(asked.path, 'must not contain spaces because it is the end of a URL')
  return {
    parameters: [{ type: 'text', text }],
    subType: 'url',
    rendered: { ...shown, url: fillText(button.url, () => text) },
  }
}

/**
 * The one text a button takes, given as such or, as the platform's own examples have it, as an
 * object that holds it.
 */
function oneText(
  { findings, path, label, value }: Asked,
  most: number,
  isNeeded: boolean,
): string | null {
  const inner = isObject(value)
    ? (value['text'] ?? value['payload'] ?? value['coupon_code'])
    : value
  const text = scalarOf(inner)
  if (inner === undefined || inner === null || text === '') {
    if (isNeeded) findings.lacks(path, label)
    return null
  }
  const problem = text === null ? 'must be a string' : textProblem(text, most)
  if (problem !== null) findings.refuses(path, problem)
  return problem === null ? text : null
}

function flowParameters({
  findings,
  flow,
  flowPath,
  value,
  path,
}: Asked): TemplateParameter[] | null {
  const given = isObject(value) ? value : flow
  const at = isObject(value) ? path : flowPath
  if (value !== undefined && value !== null && !isObject(value))
    findings.refuses(path, 'must be an object with `flow_token` and `data`')
  const token = given['flow_token']
  const data = given['data'] ?? given['flow_action_data']
  if (
    token !== undefined &&
    (typeof token !== 'string' || token === '' || token.length > LIMITS.token)
  )
    findings.refuses(`${at}.flow_token`, `must be a string of up to ${LIMITS.token} characters`)
  if (data !== undefined && !isObject(data)) findings.refuses(`${at}.data`, 'must be an object')
  if (isObject(data) && JSON.stringify(data).length > LIMITS.flowBytes)
    findings.refuses(`${at}.data`, `must have at most ${LIMITS.flowBytes} characters as JSON`)
  const action = {
    ...(typeof token === 'string' ? { flow_token: token } : {}),
    ...(isObject(data) && Object.keys(data).length > 0 ? { flow_action_data: data } : {}),
  }
  return Object.keys(action).length === 0 ? null : [{ type: 'action', action }]
}

function productParameters({ findings, path, label, value }: Asked): TemplateParameter[] | null {
  if (value === undefined || value === null) {
    findings.lacks(path, label)
    return null
  }
  const given = isObject(value) ? value : {}
  const thumbnail = wordOf(given['thumbnail_product_retailer_id'])
  if (thumbnail === null) findings.refuses(`${path}.thumbnail_product_retailer_id`, 'is required')
  const sections = listOf(given['sections']).filter(isObject)
  if (sections.length < 1 || sections.length > MAX_SECTIONS)
    findings.refuses(`${path}.sections`, `must have 1 to ${MAX_SECTIONS} items`)
  const read = sections.map((section, index) => {
    const title = wordOf(section['title'])
    if (title === null || title.length > 24)
      findings.refuses(`${path}.sections.${index}.title`, 'must have 1 to 24 characters')
    const ids = [
      ...listOf(section['product_retailer_ids']).map(wordOf),
      ...listOf(section['product_items']).map((item) =>
        wordOf(isObject(item) ? item['product_retailer_id'] : null),
      ),
    ].filter((id) => id !== null)
    if (ids.length === 0)
      findings.refuses(
        `${path}.sections.${index}.product_retailer_ids`,
        'must have at least one item',
      )
    return { title, product_items: ids.map((id) => ({ product_retailer_id: id })) }
  })
  if (read.flatMap(({ product_items }) => product_items).length > MAX_PRODUCTS)
    findings.refuses(`${path}.sections`, `must have at most ${MAX_PRODUCTS} products`)
  return [{ type: 'action', action: { thumbnail_product_retailer_id: thumbnail, sections: read } }]
}

function callParameters({ findings, path, value }: Asked): TemplateParameter[] | null {
  if (value === undefined || value === null) return null
  const given = isObject(value) ? value : { payload: value }
  const minutes = given['ttl_minutes']
  const count = numberOf(minutes)
  if (
    minutes !== undefined &&
    (count === null || !Number.isInteger(count) || count < 1 || count > 43_200)
  )
    findings.refuses(`${path}.ttl_minutes`, 'must be a whole number from 1 to 43200')
  const payload = scalarOf(given['payload'])
  const parameters: TemplateParameter[] = [
    ...(count === null ? [] : [{ type: 'ttl_minutes', ttl_minutes: count }]),
    ...(payload === null ? [] : [{ type: 'payload', payload }]),
  ]
  return parameters.length === 0 ? null : parameters
}
