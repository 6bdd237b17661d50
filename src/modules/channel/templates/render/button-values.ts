import { isObject, listOf, numberOf, wordOf } from '../../../../platform/lenient-json'
import type { TemplateParameter } from '../../../../platform/send/template'
import { textOfScalar, textProblem, type Findings } from './values'

export const LIMITS = { payload: 256, url: 2_000, code: 15, token: 500, flowBytes: 8_192 } as const

const MAX_PRODUCTS = 30

const MAX_SECTIONS = 10

export interface ButtonInput {
  findings: Findings
  path: string
  label: string
  value: unknown
  flow: Record<string, unknown>
  flowPath: string
  code: string | null
}

/**
 * Returns the text value of a button, given directly or as an object (`text`, `payload` or
 * `coupon_code`).
 */
export function readSingleText(
  { findings, path, label, value }: ButtonInput,
  max: number,
  isNeeded: boolean,
): string | null {
  const inner = isObject(value)
    ? (value['text'] ?? value['payload'] ?? value['coupon_code'])
    : value
  const text = textOfScalar(inner)
  if (inner === undefined || inner === null || text === '') {
    if (isNeeded) findings.lacks(path, label)
    return null
  }
  const problem = text === null ? 'must be a string' : textProblem(text, max)
  if (problem !== null) findings.refuses(path, problem)
  return problem === null ? text : null
}

/** Returns the parameters of a Flow button; `null` if it takes the defaults. */
export function flowParameters({
  findings,
  flow,
  flowPath,
  value,
  path,
}: ButtonInput): TemplateParameter[] | null {
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

/** Returns the parameters of a multi-product button; `null` if the value is missing. */
export function productParameters({
  findings,
  path,
  label,
  value,
}: ButtonInput): TemplateParameter[] | null {
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

/** Returns the parameters of a voice call button; `null` without a value. */
export function callParameters({ findings, path, value }: ButtonInput): TemplateParameter[] | null {
  if (value === undefined || value === null) return null
  const given = isObject(value) ? value : { payload: value }
  const minutes = given['ttl_minutes']
  const count = numberOf(minutes)
  if (
    minutes !== undefined &&
    (count === null || !Number.isInteger(count) || count < 1 || count > 43_200)
  )
    findings.refuses(`${path}.ttl_minutes`, 'must be a whole number from 1 to 43200')
  const payload = textOfScalar(given['payload'])
  const parameters: TemplateParameter[] = [
    ...(count === null ? [] : [{ type: 'ttl_minutes', ttl_minutes: count }]),
    ...(payload === null ? [] : [{ type: 'payload', payload }]),
  ]
  return parameters.length === 0 ? null : parameters
}
