import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { isCalendarDate } from '../../../../../lib/instant'
import { problemsOf, type SchemaProblem } from '../../../../../lib/validation-messages'
import { spoken } from '../../../../../lib/whole-words'
import { isObject, type JsonObject } from '../../../../../platform/lenient-json'
import { readInteractive } from '../../../../inbox/messages/compose/interactive/read'
import { PLAIN_FIELDS } from '../../../../inbox/contacts/plain-fields'
import {
  Interactive,
  type InteractiveInput,
} from '../../../../inbox/messages/compose/interactive/model'
import { readHours } from '../../../chatbot-settings/hours/model'
import { isPlain } from '../../../../../infra/liquid/liquid'
import { choicesIn } from '../graph'
import {
  HEADER_NAME,
  NODE_CONFIGS,
  NODE_INTERACTIVES,
  VARIABLE_NAME,
  type NodeConfig,
  type NodeType,
} from '../node-config'
import type { Findings } from './findings'

type Checks = { [T in NodeType]?: (config: NodeConfig<T>, report: Report) => void }
type Report = (field: string, message: string) => void

const variables = {
  pattern: new RegExp(VARIABLE_NAME),
  rule: 'must be a name of up to 64 letters, digits and underscores',
}
/** Fields whose keys are names of variables or headers. */
const KEYS: Record<string, { pattern: RegExp; rule: string }> = {
  headers: { pattern: new RegExp(HEADER_NAME), rule: 'must be the name of a header' },
  response_mapping: variables,
  set: variables,
}

/** What a schema does not say about a config. */
const CHECKS: Checks = {
  media: ({ media_id, url }, report) => {
    if ((media_id ?? null) === null && (url ?? null) === null)
      report('media_id', 'is required, or a `url`')
    if (media_id && url) report('url', 'cannot be combined with `media_id`')
  },
  buttons: ({ buttons, synonyms }, report) => {
    reportRepeated(buttons, 'buttons', report)
    reportIds(buttons, 'buttons', report)
    reportSynonyms(buttons, synonyms, report)
  },
  prompt: checkBounds,
  timing: ({ schedule, use_business_hours }, report) => {
    if (!use_business_hours && (schedule ?? []).length === 0)
      report('schedule', 'is required, or `use_business_hours`')
  },
  set_variable: ({ set }, report) => {
    if (Object.keys(set).length === 0) report('set', 'must not be empty')
  },
  update_contact: ({ attributes = {}, ...fields }, report) => {
    const isAny = Object.values(fields).some((value) => value !== null)
    if (isAny || Object.keys(attributes).length > 0) return
    const [first = '', ...others] = Object.keys(PLAIN_FIELDS)
    const named = [...others, 'attributes'].map((field) => `\`${field}\``).join(', ')
    report(first, `is required, or ${named} or \`marketing_consent\``)
  },
  interactive: ({ interactive, synonyms }, report) => {
    checkInteractive(interactive, report)
    reportSynonyms(choicesIn(interactive), synonyms, report)
  },
  tag: ({ add, remove }, report) => {
    if (add.length + remove.length === 0) report('add', 'must not be empty, or `remove`')
  },
  assign: ({ user_id, team_id }, report) => {
    if (!user_id && !team_id) report('user_id', 'is required, or a `team_id`')
    if (user_id && team_id) report('team_id', 'cannot be combined with `user_id`')
  },
}

/** Reports bounds that an input does not have, and those that nothing fits. */
function checkBounds({ input, min, max }: NodeConfig<'prompt'>, report: Report): void {
  const read = (field: 'min' | 'max', value: number | string | null | undefined): void => {
    if (value == null) return
    if (input === 'date') {
      if (typeof value !== 'string' || (value !== 'today' && !isCalendarDate(value)))
        report(field, 'must be a date such as `2026-12-31`, or `today`')
    } else if (input !== 'number' && input !== 'text')
      report(field, 'is only possible with the input number, text or date')
    else if (typeof value !== 'number') report(field, 'must be a number')
  }
  read('min', min)
  read('max', max)
  if (min != null && max != null && typeof min === typeof max && min !== 'today' && min > max)
    report('max', 'must not be less than `min`')
}

/** Reports words that name no choice, or more than one. */
function reportSynonyms(
  choices: readonly { id: string; title: string }[],
  synonyms: Readonly<Record<string, readonly string[]>> = {},
  report: Report,
): void {
  const known = new Map(choices.map(({ id, title }) => [spoken(title), id]))
  for (const [id, words] of Object.entries(synonyms)) {
    if (!choices.some((choice) => choice.id === id))
      report(`synonyms.${id}`, 'is not the id of a button or row')
    for (const [index, word] of words.entries()) {
      const other = known.get(spoken(word))
      if (other !== undefined && other !== id)
        report(`synonyms.${id}.${index}`, `already means the choice \`${other}\``)
      known.set(spoken(word), id)
    }
  }
}

function reportRepeated(
  buttons: { id: string; title: string }[],
  field: string,
  report: Report,
): void {
  for (const part of ['id', 'title'] as const)
    for (const [index, button] of buttons.entries())
      if (buttons.findIndex((other) => other[part] === button[part]) < index)
        report(`${field}.${index}.${part}`, 'must be unique')
}

/** Reports ids with placeholders: edges and taps name them, so they never change. */
function reportIds(choices: readonly { id?: unknown }[], field: string, report: Report): void {
  for (const [index, { id }] of choices.entries())
    if (typeof id === 'string' && !isPlain(id))
      report(`${field}.${index}.id`, 'must not have placeholders, because edges name it')
}

const PREFIX = /^body\.interactive/

/** Reports names that the schema of a record does not allow. */
function reportKeys(config: JsonObject, report: Report): void {
  for (const [field, { pattern, rule }] of Object.entries(KEYS))
    if (isObject(config[field]))
      for (const key of Object.keys(config[field]))
        if (!pattern.test(key)) report(`${field}.${key}`, rule)
}

/** Checks an interactive message as if it was sent now. Its texts may be templates. */
function checkInteractive(interactive: JsonObject, report: Report): void {
  if (!NODE_INTERACTIVES.some((kind) => kind === interactive.type))
    return report('interactive.type', `must be one of ${NODE_INTERACTIVES.join(', ')}`)
  const problems = problemsOf(
    'interactive',
    Value.Errors(Interactive, interactive) as Iterable<SchemaProblem>,
  )
  for (const { path, message } of problems) report(path, message)
  if (problems.length > 0) return
  for (const [index, { rows = [] }] of ((interactive as InteractiveInput).sections ?? []).entries())
    reportIds(rows, `interactive.sections.${index}.rows`, report)
  readInteractive(
    (path, message) => report(path.replace(PREFIX, 'interactive'), message),
    interactive as InteractiveInput,
  )
}

/**
 * Reads the config of a node: with defaults, without unknown fields. Returns `null` and reports if it
 * is invalid. `path` is the path of the config.
 */
export function readConfig<T extends NodeType>(
  type: T,
  raw: unknown,
  path: string,
  findings: Findings,
): NodeConfig<T> | null {
  const schema: TSchema = NODE_CONFIGS[type]
  if (raw !== undefined && !isObject(raw)) {
    findings.add(path, 'must be a JSON object')
    return null
  }
  const config: unknown = Value.Default(schema, structuredClone(raw ?? {}))
  const problems = problemsOf(path, Value.Errors(schema, config) as Iterable<SchemaProblem>)
  for (const { path: at, message } of problems) findings.add(at, message)
  let isValid = problems.length === 0
  const report: Report = (field, message) => {
    isValid = false
    findings.add(`${path}.${field}`, message)
  }
  reportKeys(config as JsonObject, report)
  if (!isValid) return null
  const read = Value.Clean(schema, config) as NodeConfig<T>
  CHECKS[type]?.(read, report)
  if (!isValid) return null
  return type === 'timing' ? (normalHours(read as NodeConfig<'timing'>) as NodeConfig<T>) : read
}

const normalHours = (config: NodeConfig<'timing'>): NodeConfig<'timing'> => ({
  ...config,
  schedule: config.schedule ? readHours(config.schedule) : null,
})
