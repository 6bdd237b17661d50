import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { componentOf } from '../../../../platform/templates/components'
import { fillButtons } from './buttons'
import { Findings, type TemplateValues } from './values'
import { type SentTemplate, type RenderedTemplate, type Filled, NO_VALUES } from './rendered'
import { readCode, codePart, authenticationText, footerText, fillBody } from './body'
import { fillHeader } from './header'
import { fillOffer } from './offer'
import { fillCards } from './cards'

/**
 * Fills in a template: validates every value against its variables and builds the platform
 * components and what the customer sees (templates contract A, rule 2). Pure; used by chat, API,
 * bot, campaigns and previews. Collects missing and invalid values instead of throwing; see {@link
 * requireFilled}.
 */
export function fillTemplate(template: SentTemplate, values: TemplateValues): Filled {
  const findings = new Findings()
  const { components } = template
  const isAuthentication = template.category === 'AUTHENTICATION'
  const code = isAuthentication ? readCode(findings, values) : null
  const at = { root: 'body', label: '' }
  const header = fillHeader(findings, componentOf(components, 'HEADER'), values, at)
  const body = isAuthentication
    ? { part: codePart(code), text: authenticationText(componentOf(components, 'BODY')) }
    : fillBody(findings, template, componentOf(components, 'BODY'), values, at)
  const offer = fillOffer(findings, components, values)
  const buttons = fillButtons(findings, componentOf(components, 'BUTTONS')?.buttons ?? [], {
    path: 'body.button_params',
    label: 'button_params',
    values: values.buttons ?? NO_VALUES,
    flow: values.flow ?? NO_VALUES,
    code,
  })
  const cards = fillCards(findings, template, values)
  const parts = [header.part, body.part, offer.part, ...buttons.parts, cards.part].filter(
    (part) => part !== null,
  )
  const rendered: RenderedTemplate = {
    header: header.rendered,
    body: body.text,
    footer: footerText(components),
    buttons: buttons.rendered,
    offer: offer.rendered,
    cards: cards.rendered,
  }
  return { parts, rendered, findings }
}

/**
 * Throws InvalidError `missing_params` with the missing and expected names, or `invalid_params`.
 * `errors` list every problem.
 */
export function requireFilled({ findings }: Filled, expected: readonly string[]): void {
  const { missing, problems } = findings
  const errors = [
    ...missing.map(({ path }) => ({ path, message: 'is required by the template' })),
    ...problems,
  ]
  if (missing.length > 0) {
    const names = missing.map(({ label }) => label)
    throw new InvalidError(
      `Missing template parameters: ${names.join(', ')}. Expected parameters: [${expected.join(', ')}]`,
      {
        code: 'missing_params',
        details: { missing: names, expected: [...expected] },
        errors,
      },
    )
  }
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_params',
      errors,
    })
}
