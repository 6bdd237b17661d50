import { lengthOf } from '../../../../lib/input-problems'
import type {
  TemplateParameter,
  TemplateComponentParameters,
} from '../../../../platform/send/template'
import {
  componentOf,
  fillText,
  variablesOf,
  type Body,
  type Component,
  type ParameterFormat,
} from '../../../../platform/templates/components'
import { inOrder } from '../variables'
import type { Findings } from './values'
import {
  readValue,
  textOfScalar,
  textProblem,
  type CardValues,
  type TemplateValues,
} from './values'
import { type SentTemplate, HIDDEN_CODE, NO_VALUES, type At } from './rendered'

export const MAX_LENGTH = { body: 1_024, header: 60, code: 15 } as const

/** Returns the one-time code from the values; `null` if it is missing or invalid. */
export function readCode(findings: Findings, values: TemplateValues): string | null {
  const given = values.body ?? NO_VALUES
  const path = 'body.template_params.1'
  for (const key of Object.keys(given))
    if (!['1', 'code'].includes(key))
      findings.refuses(`body.template_params.${key}`, 'is not a variable of the template')
  const code = textOfScalar(given['1'] ?? given['code'])
  if (code === null || code.trim() === '') {
    findings.lacks(path, '1')
    return null
  }
  const problem = textProblem(code, MAX_LENGTH.code)
  if (problem !== null) findings.refuses(path, problem)
  return problem === null ? code : null
}

/** Returns the body parameters with the one-time code. */
export const codePart = (code: string | null): TemplateComponentParameters | null =>
  code === null ? null : { type: 'body', parameters: [{ type: 'text', text: code }] }

/**
 * Returns the text of an authentication template with a masked code: the text of the platform if
 * known.
 */
export function authenticationText(body: Body | undefined): string {
  const text =
    body?.text ??
    `{{1}} is your verification code.${body?.add_security_recommendation === true ? ' For your security, do not share this code.' : ''}`
  return fillText(text, () => HIDDEN_CODE)
}

/** Returns the footer the customer sees; `null` without one. */
export function footerText(components: readonly Component[]): string | null {
  const footer = componentOf(components, 'FOOTER')
  if (footer === undefined) return null
  return (
    footer.text ??
    (footer.code_expiration_minutes === undefined
      ? null
      : `This code expires in ${footer.code_expiration_minutes} minutes.`)
  )
}

interface FilledText {
  parameters: TemplateParameter[]
  text: string
}

/** Fills in the variables of a text and reports missing and unknown ones. */
export function fillVariables(
  findings: Findings,
  text: string,
  given: { values: Record<string, unknown>; path: string; label: string; format: ParameterFormat },
): FilledText {
  const names = inOrder(variablesOf(text))
  for (const key of Object.keys(given.values))
    if (!names.includes(key))
      findings.refuses(
        `${given.path}.${key}`,
        names.length === 0
          ? 'is not a variable of the template: it has none here'
          : `is not a variable of the template: it has ${names.join(', ')}`,
      )
  const found = new Map<string, string>()
  const parameters = names.flatMap((name) => {
    const read = readValue(
      findings,
      { path: `${given.path}.${name}`, label: `${given.label}${name}` },
      Object.hasOwn(given.values, name) ? given.values[name] : undefined,
    )
    if (read === null) return []
    found.set(name, read.text)
    const { type, ...rest } = read.parameter
    return [{ type, ...(given.format === 'named' ? { parameter_name: name } : {}), ...rest }]
  })
  return { parameters, text: fillText(text, (name) => found.get(name)) }
}

/** Fills in the body text and returns its parameters and the text the customer sees. */
export function fillBody(
  findings: Findings,
  { parameterFormat }: SentTemplate,
  body: Body | undefined,
  values: CardValues,
  at: At,
): { part: TemplateComponentParameters | null; text: string | null } {
  const path = `${at.root}.template_params`
  const label = at.label === '' ? '' : `${at.label}template_params.`
  const filled = fillVariables(findings, body?.text ?? '', {
    values: values.body ?? NO_VALUES,
    path,
    label,
    format: parameterFormat,
  })
  const isComplete = variablesOf(body?.text ?? '').length === filled.parameters.length
  if (isComplete && lengthOf(filled.text) > MAX_LENGTH.body && filled.parameters.length > 0)
    findings.refuses(
      path,
      `must leave the body with at most ${MAX_LENGTH.body} characters; with these values it has ` +
        `${lengthOf(filled.text)}`,
    )
  return {
    part: filled.parameters.length === 0 ? null : { type: 'body', parameters: filled.parameters },
    text: body === undefined ? null : filled.text,
  }
}
