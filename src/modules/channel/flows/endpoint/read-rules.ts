import { freeObjectProblems } from '../../../../lib/free-object'
import type { EndpointRule } from '../model'
import { OPERATORS, unknownPlaceholders } from '../rules'
import { AT, isObject, invalid } from './config-shape'

const ACTIONS = ['INIT', 'BACK', 'data_exchange', 'navigate'] as const

const MAX_RULES = 100

const MAX_CONDITIONS = 20

const MAX_RULES_BYTES = { bytes: 256 * 1024, levels: 12 }

const END = 'SUCCESS'

/**
 * Returns the rules of an endpoint, given as a list or an object with a list. Checks screens if
 * `screens` is known. Throws InvalidError with every invalid field.
 */
export function readRules(given: unknown, screens: readonly string[] | null): EndpointRule[] {
  const list = isObject(given) ? given['rules'] : given
  const at = isObject(given) ? `${AT}.rules` : AT
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_RULES)
    throw invalid([{ path: at, message: `must be a list of 1 to ${MAX_RULES} rules` }])
  const errors = freeObjectProblems({ rules: list as unknown[] }, AT, MAX_RULES_BYTES)
  const note = (path: string, message: string): void => void errors.push({ path, message })
  const rules = list.map((rule: unknown, index) =>
    readRule(rule, `${at}.${index}`, { screens, note }),
  )
  if (errors.length > 0) throw invalid(errors)
  return rules
}

interface Reading {
  screens: readonly string[] | null
  note: (path: string, message: string) => void
}

function readRule(rule: unknown, path: string, { screens, note }: Reading): EndpointRule {
  const given = isObject(rule) ? rule : {}
  if (!isObject(rule)) note(path, 'must be an object')
  const {
    action = null,
    screen = null,
    next_screen: next,
    when,
    data = {},
    set_attributes = {},
  } = given
  if (action !== null && !ACTIONS.some((known) => known === action))
    note(`${path}.action`, `must be one of ${ACTIONS.join(', ')}`)
  const isScreen = (value: unknown): boolean =>
    typeof value === 'string' && (screens === null || screens.includes(value))
  if (screen !== null && !isScreen(screen)) note(`${path}.screen`, 'is not a screen of this flow')
  if (!isScreen(next) && next !== END)
    note(`${path}.next_screen`, `must be a screen of this flow, or ${END}`)
  for (const [name, value] of [
    ['data', data],
    ['set_attributes', set_attributes],
  ] as const) {
    if (!isObject(value)) note(`${path}.${name}`, 'must be an object')
    for (const placeholder of unknownPlaceholders(value))
      note(`${path}.${name}`, `has {{${placeholder}}}, which stands for nothing`)
  }
  return {
    action: typeof action === 'string' ? action : null,
    screen: typeof screen === 'string' ? screen : null,
    when: readConditions(when, `${path}.when`, note),
    next_screen: typeof next === 'string' ? next : '',
    data: isObject(data) ? data : {},
    set_attributes: isObject(set_attributes) ? set_attributes : {},
  }
}

/**
 * Returns the conditions, given as a list of `{field, op, value}` or as an object of expected
 * values.
 */
function readConditions(when: unknown, path: string, note: Reading['note']): EndpointRule['when'] {
  if (when === undefined || when === null) return []
  if (isObject(when))
    return Object.entries(when).map(([field, value]) => ({ field, op: 'eq', value }))
  if (!Array.isArray(when) || when.length > MAX_CONDITIONS) {
    note(path, `must be a list of up to ${MAX_CONDITIONS} conditions`)
    return []
  }
  return when.map((condition: unknown, index) => {
    const { field, op = 'eq', value = null } = isObject(condition) ? condition : {}
    if (typeof field !== 'string' || field === '') note(`${path}.${index}.field`, 'is required')
    if (typeof op !== 'string' || !Object.hasOwn(OPERATORS, op))
      note(`${path}.${index}.op`, `must be one of ${Object.keys(OPERATORS).join(', ')}`)
    return { field: String(field), op: String(op), value }
  })
}
