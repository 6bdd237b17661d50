import { fieldSentence } from '../../parts/field-words'
import { t, type TextKey } from '../../texts/texts'
import { labelOf } from './fields/shape'
import { isObject, nodeOf, type Graph } from './model/graph'
import type { Problem } from './model/problems'
import { outcomeName } from './words'

/** What the server says about a flow, in the words of people. */
const KNOWN: readonly [said: RegExp, text: TextKey][] = [
  [/^is an example$/, 'flow.problem.example'],
  [/^cannot be reached/, 'flow.problem.unreachable'],
  [/^is in a loop in which no node waits/, 'flow.problem.loop'],
  [/^hands over to a person after max_retries/, 'flow.problem.person'],
  [/max_retries/, 'flow.problem.retries'],
  [/^cannot follow|^is a second edge/, 'flow.problem.way'],
  [/^is required, or a `url`/, 'flow.problem.file'],
  [/^is required, or a `team_id`/, 'flow.problem.assign'],
  [/^is required, or `language`/, 'flow.problem.update'],
  [/^must not be empty, or `remove`/, 'flow.problem.tags'],
  [/^must have 1 to 30 items/, 'flow.problem.products'],
  [/^must be a UUID|must match format 'uuid'|^is not a UUID/, 'flow.problem.choose'],
  [/^is not (?:a|an active) .* of this organization$/, 'flow.problem.gone'],
  [/^must be unique/, 'flow.problem.unique'],
  [/^lacks what the template needs/, 'flow.problem.params'],
  [/^is no custom field/, 'flow.problem.no-field'],
  [/^is not allowed: it/, 'flow.problem.address'],
  [/placeholders in its host/, 'flow.problem.host'],
  [/no open minute/, 'flow.problem.never-open'],
  [/no stored value|other host/, 'flow.problem.secret'],
]

/** Returns what stands at the setting that a problem is about. */
function valueAt(graph: Graph, { node, field }: Problem): unknown {
  let value: unknown = node === null ? undefined : nodeOf(graph, node)?.config
  for (const part of (field ?? '').split('.'))
    value =
      isObject(value) || Array.isArray(value) ? (value as Record<string, unknown>)[part] : undefined
  return value
}

/** Whether a problem only says that something is still to be written. */
export function isGap(problem: Problem, graph: Graph): boolean {
  const value = valueAt(graph, problem)
  const isEmpty = value === undefined || (typeof value === 'string' && value.trim() === '')
  return (
    problem.field !== null &&
    isEmpty &&
    /^(?:is required$|must have|must not be)/.test(problem.message)
  )
}

/** Returns what is wrong with a setting, in words. */
export function settingWords(problem: Problem, graph: Graph): string {
  if (isGap(problem, graph)) return t('parts.field.required')
  const known = KNOWN.find(([said]) => said.test(problem.message))
  if (known) return t(known[1])
  const [, least, most] = /^must have (\d+) to (\d+) characters/.exec(problem.message) ?? []
  return most === undefined
    ? fieldSentence(problem.message)
    : t('parts.field.between', { least: Number(least), most: Number(most) })
}

/** Returns a problem in words, with the setting that it is about. */
export function problemWords(problem: Problem, graph: Graph): string {
  const { message, field, node } = problem
  const at = node === null ? undefined : nodeOf(graph, node)
  const [, ends] = /^ends the flow after (.*): no edge follows$/.exec(message) ?? []
  if (ends !== undefined && at) {
    const outcomes = ends.split(', ').map((outcome) => outcomeName(at, outcome))
    return t('flow.problem.ends', { outcomes: outcomes.join(', ') })
  }
  if (problem.condition !== null) return t('flow.problem.way')
  const words = settingWords(problem, graph)
  const name = field === null || at === undefined ? null : labelOf(at, wordOf(field))
  return name === null ? words : t('flow.problem.at', { name, words })
}

/** Says what is odd about a word that begins a flow. */
export function wordWarning(
  { path, message }: { path: string; message: string },
  words: readonly string[],
): string {
  const word = words[Number(/\.(\d+)$/.exec(path)?.[1])]
  if (word === undefined) return message
  const [, flow] = /^also begins the flow "(.*)"; only one/s.exec(message) ?? []
  if (flow !== undefined) return t('flow.problem.also-begins', { word, flow })
  return message.startsWith('is an opt-') ? t('flow.problem.opts', { word }) : message
}

/** The name of a setting in the path of a problem. */
const wordOf = (field: string): string =>
  field.replace(/^interactive\./, '').split('.', 1)[0] ?? field
