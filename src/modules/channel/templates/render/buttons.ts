import { isObject, wordOf } from '../../../../platform/lenient-json'
import type {
  TemplateParameter,
  TemplateComponentParameters,
} from '../../../../platform/send/template'
import { fillText, variablesOf, type Button } from '../../../../platform/templates/components'
import { textOfScalar, type Findings } from './values'
import {
  LIMITS,
  type ButtonInput,
  readSingleText,
  flowParameters,
  productParameters,
  callParameters,
} from './button-values'

/** A button the customer sees. */
export interface RenderedButton {
  type: string
  text: string | null
  url?: string
  phone_number?: string
  code?: string
  payload?: string
}

export interface ButtonValues {
  /** Path of the values in the request, for example `body.button_params`. */
  path: string
  /** Prefix of their names, for example `button_params`. */
  label: string
  values: Record<string, unknown>
  flow: Record<string, unknown>
  /** The one-time code of an authentication template. */
  code: string | null
}

/** A filled-in button; `parameters` is `null` if the platform needs none. */
interface FilledButton {
  parameters: TemplateParameter[] | null
  subType: string
  rendered: RenderedButton
}

/** Fills in the buttons and reports missing, invalid and superfluous values. */
export function fillButtons(
  findings: Findings,
  buttons: readonly Button[],
  input: ButtonValues,
): { parts: TemplateComponentParameters[]; rendered: RenderedButton[] } {
  const { path, label, values } = input
  for (const key of Object.keys(values))
    if (buttons[Number(key)] === undefined || !/^\d$/.test(key))
      findings.refuses(`${path}.${key}`, 'is not a button of the template')
  const filled = buttons.map((button, index) =>
    fillButton(button, {
      findings,
      path: `${path}.${index}`,
      label: `${label}.${index}`,
      value: values[String(index)],
      flow: input.flow,
      flowPath: path.replace(/button_params$/, 'flow_params'),
      code: input.code,
    }),
  )
  const hasFlow = buttons.some(({ type }) => type === 'FLOW')
  if (!hasFlow && Object.keys(input.flow).length > 0)
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

function fillButton(button: Button, input: ButtonInput): FilledButton {
  const { findings, path, value } = input
  const plain = (subType = ''): FilledButton => ({
    parameters: null,
    subType,
    rendered: { type: button.type, text: button.text ?? null },
  })
  switch (button.type) {
    case 'URL':
      return fillUrl(button, input)
    case 'QUICK_REPLY': {
      const payload = readSingleText(input, LIMITS.payload, false)
      const shown = { ...plain('quick_reply').rendered, ...(payload === null ? {} : { payload }) }
      return {
        parameters: payload === null ? null : [{ type: 'payload', payload }],
        subType: 'quick_reply',
        rendered: shown,
      }
    }
    case 'COPY_CODE': {
      const code = readSingleText(input, LIMITS.code, true)
      const shown = { ...plain().rendered, ...(code === null ? {} : { code }) }
      return {
        parameters: code === null ? null : [{ type: 'coupon_code', coupon_code: code }],
        subType: 'copy_code',
        rendered: shown,
      }
    }
    case 'OTP': {
      if (value !== undefined && textOfScalar(value) !== input.code)
        findings.refuses(path, 'must equal the code in the body')
      const { code } = input
      return { ...plain('url'), parameters: code === null ? null : [{ type: 'text', text: code }] }
    }
    case 'FLOW':
      return { ...plain('flow'), parameters: flowParameters(input) }
    case 'CATALOG': {
      const id = wordOf(isObject(value) ? value['thumbnail_product_retailer_id'] : value)
      return {
        ...plain('catalog'),
        parameters:
          id === null ? null : [{ type: 'action', action: { thumbnail_product_retailer_id: id } }],
      }
    }
    case 'MPM':
      return { ...plain('mpm'), parameters: productParameters(input) }
    case 'VOICE_CALL':
      return { ...plain('voice_call'), parameters: callParameters(input) }
    case 'PHONE_NUMBER':
      return {
        ...requireNoValue(input, plain()),
        rendered: { ...plain().rendered, phone_number: button.phone_number },
      }
    default:
      return requireNoValue(input, plain())
  }
}

/** Reports a value for a button that takes none. */
function requireNoValue(
  { findings, path, value }: ButtonInput,
  filled: FilledButton,
): FilledButton {
  if (value !== undefined && value !== null) findings.refuses(path, 'is a button without a value')
  return filled
}

function fillUrl(button: Extract<Button, { type: 'URL' }>, input: ButtonInput): FilledButton {
  const shown: RenderedButton = { type: button.type, text: button.text, url: button.url }
  if (variablesOf(button.url).length === 0)
    return requireNoValue(input, { parameters: null, subType: 'url', rendered: shown })
  const text = readSingleText(input, LIMITS.url, true)
  if (text === null) return { parameters: null, subType: 'url', rendered: shown }
  if (/\s/.test(text))
    input.findings.refuses(input.path, 'must not contain spaces because it is the end of a URL')
  return {
    parameters: [{ type: 'text', text }],
    subType: 'url',
    rendered: { ...shown, url: fillText(button.url, () => text) },
  }
}
