import { Value } from '@sinclair/typebox/value'

import { freeObjectProblems } from '../../../../lib/free-object'
import { normalizeId } from '../../../../lib/ids'
import { lengthOf, reportDuplicates, type Report } from '../../../../lib/input-problems'
import { problemsOf, type SchemaProblem } from '../../../../lib/validation-messages'
import type { Ctx } from '../../../../infra/ctx'
import { withButtonIds } from '../../chatbot-settings/buttons'
import type { RuleRow } from './row'
import { RuleContent } from './table'

/** The answer of a rule as requests write it. */
export interface Answer {
  type: RuleRow['responseType']
  response: string | null
  content: Record<string, unknown>
}

/** The fields of the content that each type of answer has. */
const FIELDS: Record<Answer['type'], (keyof RuleContent)[]> = {
  text: [],
  buttons: ['buttons', 'header', 'footer'],
  media: ['media_id', 'url', 'kind', 'filename'],
  template: ['template_id', 'params'],
  flow: ['flow_id'],
  transfer: ['team_id', 'notes'],
}

const MAX_BODY_WITH_EXTRAS = 1_024
const PARAMS = { bytes: 16_384, levels: 4 }
const AT = 'body.response_content'

/**
 * Returns the content of an answer as it is stored: only the fields of its type. Reports what is
 * missing or malformed. `former` has the buttons of the rule so far.
 */
export function readContent(
  ctx: Ctx,
  report: Report,
  { type, response, content: given }: Answer,
  former: RuleContent,
): RuleContent {
  const content = checkedContent(report, given)
  if (content === null) return {}
  requireParts(report, { type, response, content })
  requireTemplates(ctx, report, { type, response, content })
  const stored = Object.fromEntries(
    FIELDS[type].flatMap((field) => {
      const value = content[field]
      if (value === undefined) return []
      return [
        [field, typeof value === 'string' && field.endsWith('_id') ? normalizeId(value) : value],
      ]
    }),
  ) as RuleContent
  return stored.buttons === undefined
    ? stored
    : { ...stored, buttons: withButtonIds(ctx, stored.buttons, former.buttons ?? []) }
}

/** Returns given content without unknown fields. Reports what is malformed and returns `null`. */
function checkedContent(report: Report, given: Record<string, unknown>): RuleContent | null {
  const problems = problemsOf(AT, Value.Errors(RuleContent, given) as Iterable<SchemaProblem>)
  for (const { path, message } of problems) report(path, message)
  return problems.length > 0
    ? null
    : (Value.Clean(RuleContent, structuredClone(given)) as RuleContent)
}

/** An answer whose content is well-formed. */
type CheckedAnswer = Omit<Answer, 'content'> & { content: RuleContent }

function requireParts(report: Report, { type, response, content }: CheckedAnswer): void {
  const needs = (field: keyof RuleContent): void => {
    if (content[field] === undefined || content[field] === null)
      report(`${AT}.${field}`, `is required for \`${type}\``)
  }
  if ((type === 'text' || type === 'buttons') && (response ?? '').trim() === '')
    report('body.response', `is required for \`${type}\``)
  if (type === 'buttons' || type === 'media')
    if (lengthOf(response ?? '') > MAX_BODY_WITH_EXTRAS)
      report('body.response', `must have at most ${MAX_BODY_WITH_EXTRAS} characters with ${type}`)
  if (type === 'buttons') {
    needs('buttons')
    reportRepeated(report, content.buttons ?? [])
  }
  if (type === 'template') needs('template_id')
  if (type === 'flow') needs('flow_id')
  if (type === 'media') {
    needs('kind')
    if ((content.media_id ?? null) === null) needs('url')
    else if ((content.url ?? null) !== null)
      report(`${AT}.url`, 'cannot be combined with `media_id`')
  }
}

function reportRepeated(report: Report, buttons: NonNullable<RuleContent['buttons']>): void {
  const valuesOf = (field: 'id' | 'title') =>
    buttons.flatMap((button, index) => {
      const value = button[field]
      return value === undefined ? [] : [{ path: `${AT}.buttons.${index}.${field}`, value }]
    })
  reportDuplicates(report, valuesOf('title'))
  reportDuplicates(report, valuesOf('id'))
}

/** Reports templates that cannot be parsed. */
function requireTemplates(
  { liquid }: Ctx,
  report: Report,
  { response, content }: CheckedAnswer,
): void {
  const check = (path: string, template: unknown): void => {
    if (typeof template === 'object' && template !== null)
      for (const [name, inner] of Object.entries(template)) check(`${path}.${name}`, inner)
    if (typeof template !== 'string') return
    const problem = liquid.templateProblem(template)
    if (problem !== null) report(path, `is not a valid template: ${problem}`)
  }
  check('body.response', response)
  check(`${AT}.notes`, content.notes)
  const { params } = content
  if (params === undefined) return
  const [problem] = freeObjectProblems(params, `${AT}.params`, PARAMS)
  if (problem) report(problem.path, problem.message)
  else check(`${AT}.params`, params)
}
