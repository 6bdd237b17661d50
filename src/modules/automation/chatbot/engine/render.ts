import type { RenderedText } from '../../../../infra/liquid/liquid'
import type { EscapePlace } from '../../../../infra/liquid/escape'
import type { NewMessage } from '../../../inbox/messages/compose/model'
import { buttonsMessage } from './drafts'
import type { Session } from './model'
import type { Run } from './run'
import { dataOf } from './template-data'

/**
 * Returns the model of a text that AI wrote and that a template uses, by the names in its
 * placeholders; `null` if it uses none.
 */
export function modelOf(session: Session | null, template: unknown): string | null {
  const ofAi = Object.entries(session?.state.aiVariables ?? {})
  if (ofAi.length === 0) return null
  const placeholders = JSON.stringify(template).match(/\{[{%].*?[%}]\}/g) ?? []
  const used = new Set(placeholders.flatMap((placeholder) => placeholder.match(/\w+/g) ?? []))
  return ofAi.find(([name]) => used.has(name))?.[1] ?? null
}

/** Renders a template of a flow or a rule. What AI wrote of it marks the next message of the step. */
export function render(
  run: Run,
  template: string,
  place: EscapePlace = 'text',
  extra?: Record<string, unknown>,
): RenderedText {
  run.renderedBy = modelOf(run.session, template) ?? run.renderedBy
  return run.ports.liquid.renderTemplate(
    template,
    dataOf(run.ports, { session: run.session, turn: run.turn, extra }),
    place,
  )
}

/** Renders an optional text. Returns `null` for none, for a blank one, and for one with a problem. */
export function renderText(
  run: Run,
  template: string | null | undefined,
  extra?: Record<string, unknown>,
): string | null {
  if (template == null) return null
  const rendered = render(run, template, 'text', extra)
  return rendered.ok && rendered.text.trim() !== '' ? rendered.text : null
}

/**
 * Returns a text of the settings with its buttons, as the contact sees them; `null` for none, for a
 * blank text, and for one with a problem.
 */
export function settingMessage(
  run: Run,
  template: string | null,
  buttons: readonly { id: string; title: string }[],
): NewMessage | null {
  const body = renderText(run, template)
  if (body === null) return null
  return buttonsMessage({
    body,
    buttons: buttons.map(({ id, title }) => ({ id, title: renderText(run, title) ?? title })),
  })
}

/** Nesting up to which the texts in a value are rendered. */
const MAX_DEPTH = 8

/** Renders every text in a JSON value. Returns the first problem instead, if there is one. */
export function renderAll(
  run: Run,
  value: unknown,
  extra?: Record<string, unknown>,
): { value: unknown } | { problem: string } {
  let problem: string | null = null
  const walk = (part: unknown, depth: number): unknown => {
    if (problem !== null || depth > MAX_DEPTH) return part
    if (typeof part === 'string') {
      const rendered = render(run, part, 'text', extra)
      if (rendered.ok) return rendered.text
      problem = rendered.problem
      return part
    }
    if (Array.isArray(part)) return part.map((each) => walk(each, depth + 1))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, each]) => [key, walk(each, depth + 1)]),
    )
  }
  const rendered = walk(value, 0)
  return problem === null ? { value: rendered } : { problem }
}
