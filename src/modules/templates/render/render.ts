import { fieldSentence, InvalidError } from '../../../lib/errors'
import { lengthOf } from '../../../lib/input-problems'
import { numberOf, wordOf } from '../../../platform/lenient-json'
import type {
  TemplateComponent,
  TemplateParameter,
  TemplateComponentParameters,
} from '../../../platform/send/template'
import {
  componentOf,
  fillText,
  headerKind,
  mediaFormatOf,
  variablesOf,
  type Body,
  type Card,
  type Component,
  type Header,
  type ParameterFormat,
} from '../../../platform/templates/components'
import { inOrder } from '../variables'
import { fillButtons, type RenderedButton } from './buttons'
import {
  Findings,
  readValue,
  scalarOf,
  textProblem,
  type CardValues,
  type HeaderFile,
  type TemplateValues,
} from './values'

/** What of a template is filled in. */
export interface Fillable {
  name: string
  language: string
  category: string
  parameterFormat: ParameterFormat
  /** The ones the platform has. */
  components: readonly Component[]
}

/** What stands above the text, as the customer sees it. */
export type RenderedHeader =
  | string
  | { type: 'image' | 'video' | 'document'; media_id: string | null; filename: string | null }
  | {
      type: 'location'
      latitude: number
      longitude: number
      name: string | null
      address: string | null
    }
  | { type: 'product'; catalog_id: string; product_retailer_id: string }

/** A card as the customer sees it. */
export interface RenderedCard {
  header: RenderedHeader | null
  body: string | null
  buttons: RenderedButton[]
}

/** A template as the customer sees it. One-time codes show as dots. */
export interface RenderedTemplate extends RenderedCard {
  footer: string | null
  offer: { text: string; expires_at: string | null } | null
  cards: RenderedCard[]
}

/** A template with everything filled in that was given, and what is wrong with that. */
export interface Filled {
  /** For the platform, but for the ids of files; complete only when nothing is missing or wrong. */
  parts: TemplateComponent[]
  rendered: RenderedTemplate
  findings: Findings
}

/** What stands in place of a one-time code in everything that is kept. */
export const HIDDEN_CODE = '••••'

const LONGEST = { body: 1_024, header: 60, code: 15 } as const
const NO_VALUES: Record<string, unknown> = {}

/**
 * Fills a template in: checks every value against the stored variables and makes the platform's
 * components and what the customer will see (templates contract A, rule 2). Pure; the one builder
 * of chat, API, bot, campaign and preview. Notes what is missing and wrong instead of throwing; see
 * {@link requireFilled}.
 */
export function fillTemplate(template: Fillable, values: TemplateValues): Filled {
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
 * Refuses a template that is not filled in well. Throws InvalidError `missing_params`, which names
 * what is missing and what is expected, and `invalid_params`; `errors` hold everything that is
 * wrong.
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

/** Where values stand in the body, and what goes before their names. */
interface At {
  root: string
  label: string
}

function readCode(findings: Findings, values: TemplateValues): string | null {
  const given = values.body ?? NO_VALUES
  const path = 'body.template_params.1'
  for (const key of Object.keys(given))
    if (!['1', 'code'].includes(key))
      findings.refuses(`body.template_params.${key}`, 'is not a variable of the template')
  const value = given['1'] ?? given['code']
  const code = scalarOf(value)
  if (value === undefined || value === null || code === null || code.trim() === '') {
    findings.lacks(path, '1')
    return null
  }
  const problem = textProblem(code, LONGEST.code)
  if (problem !== null) findings.refuses(path, problem)
  return problem === null ? code : null
}

const codePart = (code: string | null): TemplateComponentParameters | null =>
  code === null ? null : { type: 'body', parameters: [{ type: 'text', text: code }] }

/**
 * The text of an authentication template: the platform's own where it is known, with dots for the
 * code.
 */
function authenticationText(body: Body | undefined): string {
  const text =
    body?.text ??
    `{{1}} is your verification code.${body?.add_security_recommendation === true ? ' For your security, do not share this code.' : ''}`
  return fillText(text, () => HIDDEN_CODE)
}

function footerText(components: readonly Component[]): string | null {
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

/** Fills the variables of a text: every one there, none unknown, numbers in numeric order. */
function fillVariables(
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

function fillBody(
  findings: Findings,
  { parameterFormat }: Fillable,
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
  if (isComplete && lengthOf(filled.text) > LONGEST.body && filled.parameters.length > 0)
    findings.refuses(
      path,
      `must leave the body with at most ${LONGEST.body} characters; with these values it has ` +
        `${lengthOf(filled.text)}`,
    )
  return {
    part: filled.parameters.length === 0 ? null : { type: 'body', parameters: filled.parameters },
    text: body === undefined ? null : filled.text,
  }
}

function fillHeader(
  findings: Findings,
  header: Header | undefined,
  values: CardValues,
  at: At,
): { part: TemplateComponentParameters | null; rendered: RenderedHeader | null } {
  const path = `${at.root}.header_params`
  const label = `${at.label}header_params.`
  const given = values.header ?? NO_VALUES
  const format = mediaFormatOf(header)
  if (format === null && values.file)
    findings.refuses(
      `${at.root}.header_media_id`,
      "cannot be used because the template's header has no file",
    )
  if (header === undefined || format !== null)
    for (const key of Object.keys(given))
      findings.refuses(`${path}.${key}`, 'is not a variable of the template: its header has none')
  if (header === undefined) return { part: null, rendered: null }
  if (format !== null) return fillFile(findings, headerKind(format), values.file ?? null, at)
  if (header.format === 'LOCATION') return fillPlace(findings, given, { path, label })
  if (header.format === 'PRODUCT') return fillProduct(findings, given, { path, label })
  const text = header.format === 'TEXT' ? header.text : ''
  const named = variablesOf(text).some((name) => !/^\d+$/.test(name))
  const filled = fillVariables(findings, text, {
    values: given,
    path,
    label,
    format: named ? 'named' : 'positional',
  })
  const isComplete = filled.parameters.length === variablesOf(text).length
  if (isComplete && filled.parameters.length > 0 && lengthOf(filled.text) > LONGEST.header)
    findings.refuses(
      path,
      `must leave the header with at most ${LONGEST.header} characters; with these values it ` +
        `has ${lengthOf(filled.text)}`,
    )
  return {
    part: filled.parameters.length === 0 ? null : { type: 'header', parameters: filled.parameters },
    rendered: filled.text,
  }
}

function fillFile(
  findings: Findings,
  kind: 'image' | 'video' | 'document',
  file: HeaderFile | null,
  at: At,
): { part: TemplateComponentParameters | null; rendered: RenderedHeader } {
  if (file === null) {
    findings.lacks(`${at.root}.header_media_id`, `${at.label}header_media_id`)
    return { part: null, rendered: { type: kind, media_id: null, filename: null } }
  }
  // A document without a name is refused by the platform.
  const filename = kind === 'document' ? { filename: file.filename ?? 'document' } : {}
  const parameter: TemplateParameter = {
    type: kind,
    [kind]: { media_id: file.mediaId, ...filename },
  }
  return {
    part: { type: 'header', parameters: [parameter] },
    rendered: { type: kind, media_id: file.mediaId, filename: filename.filename ?? file.filename },
  }
}

function fillPlace(
  findings: Findings,
  given: Record<string, unknown>,
  { path, label }: { path: string; label: string },
): { part: TemplateComponentParameters | null; rendered: RenderedHeader | null } {
  const known = ['latitude', 'longitude', 'name', 'address']
  for (const key of Object.keys(given))
    if (!known.includes(key))
      findings.refuses(`${path}.${key}`, `is not a part of a location; use ${known.join(', ')}`)
  const degrees = (key: 'latitude' | 'longitude', most: number): number => {
    const value = numberOf(given[key])
    if (given[key] === undefined || given[key] === null)
      findings.lacks(`${path}.${key}`, `${label}${key}`)
    else if (value === null || Math.abs(value) > most)
      findings.refuses(`${path}.${key}`, `must be a number from -${most} to ${most}`)
    return value ?? 0
  }
  const place = {
    latitude: degrees('latitude', 90),
    longitude: degrees('longitude', 180),
    name: wordOf(given['name']),
    address: wordOf(given['address']),
  }
  const filled = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== null))
  return {
    part: { type: 'header', parameters: [{ type: 'location', location: filled }] },
    rendered: { type: 'location', ...place },
  }
}

function fillProduct(
  findings: Findings,
  given: Record<string, unknown>,
  { path, label }: { path: string; label: string },
): { part: TemplateComponentParameters | null; rendered: RenderedHeader } {
  const word = (key: string): string => {
    const value = wordOf(given[key])
    if (value === null) findings.lacks(`${path}.${key}`, `${label}${key}`)
    return value ?? ''
  }
  const product = {
    catalog_id: word('catalog_id'),
    product_retailer_id: word('product_retailer_id'),
  }
  return {
    part: { type: 'header', parameters: [{ type: 'product', product }] },
    rendered: { type: 'product', ...product },
  }
}

function fillOffer(
  findings: Findings,
  components: readonly Component[],
  { offerExpiresAt }: TemplateValues,
): { part: TemplateComponentParameters | null; rendered: RenderedTemplate['offer'] } {
  const offer = componentOf(components, 'LIMITED_TIME_OFFER')
  const path = 'body.offer_expires_at'
  if (offer?.has_expiration !== true) {
    if (offerExpiresAt !== undefined)
      findings.refuses(path, 'cannot be used because the template has no limited-time offer')
    return {
      part: null,
      rendered: offer === undefined ? null : { text: offer.text, expires_at: null },
    }
  }
  const atMs = offerExpiresAt === undefined ? Number.NaN : Date.parse(offerExpiresAt)
  if (offerExpiresAt === undefined) findings.lacks(path, 'offer_expires_at')
  else if (Number.isNaN(atMs)) findings.refuses(path, 'must be an ISO 8601 time')
  const isGood = !Number.isNaN(atMs)
  return {
    part: isGood
      ? {
          type: 'limited_time_offer',
          parameters: [
            { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: atMs } },
          ],
        }
      : null,
    rendered: { text: offer.text, expires_at: isGood ? new Date(atMs).toISOString() : null },
  }
}

function fillCards(
  findings: Findings,
  template: Fillable,
  { cards: given = [] }: TemplateValues,
): { part: TemplateComponent | null; rendered: RenderedCard[] } {
  const cards = componentOf(template.components, 'CAROUSEL')?.cards ?? []
  if (cards.length === 0) {
    if (given.length > 0)
      findings.refuses('body.cards', 'cannot be used because the template has no cards')
    return { part: null, rendered: [] }
  }
  if (given.length > cards.length)
    findings.refuses(
      'body.cards',
      `must have at most ${cards.length} items, the number of cards of the template`,
    )
  const filled = cards.map((card, index) =>
    fillCard(findings, template, card, { index, values: given[index] ?? {} }),
  )
  return {
    part: {
      type: 'carousel',
      cards: filled.map(({ parts }, index) => ({ card_index: index, components: parts })),
    },
    rendered: filled.map(({ rendered }) => rendered),
  }
}

function fillCard(
  findings: Findings,
  template: Fillable,
  card: Card,
  { index, values }: { index: number; values: CardValues },
): { parts: TemplateComponentParameters[]; rendered: RenderedCard } {
  const at = { root: `body.cards.${index}`, label: `cards.${index}.` }
  const header = fillHeader(findings, componentOf(card.components, 'HEADER'), values, at)
  const body = fillBody(findings, template, componentOf(card.components, 'BODY'), values, at)
  const buttons = fillButtons(findings, componentOf(card.components, 'BUTTONS')?.buttons ?? [], {
    path: `${at.root}.button_params`,
    label: `${at.label}button_params`,
    values: values.buttons ?? NO_VALUES,
    flow: NO_VALUES,
    code: null,
  })
  const parts = [header.part, body.part, ...buttons.parts].filter((part) => part !== null)
  return {
    parts,
    rendered: { header: header.rendered, body: body.text, buttons: buttons.rendered },
  }
}
