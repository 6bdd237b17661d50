import { fieldSentence, InvalidError } from '../../../../../lib/errors'
import { isObject } from '../../../../../platform/lenient-json'
import type { TemplateContent } from '../../../../../platform/send/content'
import type { TemplateToSend } from '../../../../../platform/send/template'
import { componentOf } from '../../../../../platform/templates/components'
import type { Report } from '../../../../../lib/input-problems'
import type { Ctx } from '../../../../../infra/ctx'
import type { CardValues, TemplateValues } from '../../../../channel/templates/render/values'
import {
  findTemplate,
  languageKeyOf,
  findTemplatesByName,
} from '../../../../channel/templates/queries'
import { isSendable } from '../../../../channel/templates/status'
import {
  sentComponentsOf,
  sentHeaderFileOf,
  type TemplateRow,
} from '../../../../channel/templates/view'
import type { FileInput } from '../media'
import { type TemplateInput, readHeaderFile } from './header-file'

/** A requested template. Its files are not looked up yet. */
export interface ParsedTemplate {
  row: TemplateRow
  values: TemplateValues
  /** Files of the cards by index; `null` for cards without a file. */
  cardFiles: (FileInput | null)[]
  /** The filled template of a message that is resent. */
  repeated: { content: TemplateContent; toSend: TemplateToSend } | null
}

const notFound = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'template_not_found',
    errors: [{ path, message }],
  })

/**
 * Finds the requested template and reads its values. `businessId` limits the search to the business
 * account of the requested phone number. Reports invalid fields. Throws InvalidError
 * `template_not_found`.
 */
export function readTemplate(
  ctx: Ctx,
  report: Report,
  input: TemplateInput,
  businessId: string | null,
): { draft: ParsedTemplate; file: FileInput | null } | null {
  const row = findRequested(ctx, report, input, businessId)
  if (row === null) return null
  checkCards(report, input.cards ?? [])
  const components = sentComponentsOf(row)
  const cards = componentOf(components, 'CAROUSEL')?.cards ?? []
  const file = readHeaderFile(report, 'body', componentOf(components, 'HEADER'), {
    ...input,
    ownId: sentHeaderFileOf(row),
  })
  const cardFiles = cards.map((card, index) => {
    const header = componentOf(card.components, 'HEADER')
    const own = header !== undefined && 'media_id' in header ? (header.media_id ?? null) : null
    return readHeaderFile(report, `body.cards.${index}`, header, {
      ...input.cards?.[index],
      file: undefined,
      ownId: own,
    })
  })
  const values: TemplateValues = {
    body: input.template_params,
    header: input.header_params,
    buttons: input.button_params,
    flow: input.flow_params,
    offerExpiresAt: input.offer_expires_at,
    cards: input.cards?.map(({ template_params, header_params, button_params }): CardValues => ({
      body: template_params,
      header: header_params,
      buttons: button_params,
    })),
  }
  return { draft: { row, values, cardFiles, repeated: null }, file }
}

/** Validates the fields of cards, which the schema leaves open. */
function checkCards(report: Report, cards: readonly object[]): void {
  for (const [index, card] of cards.entries())
    for (const [name, value] of Object.entries(card)) {
      const isText = /^header_media_(?:id|url|filename)$/.test(name)
      if (isText && typeof value !== 'string')
        report(`body.cards.${index}.${name}`, 'must be a string')
      if (/^(?:template|header|button)_params$/.test(name) && !isObject(value))
        report(`body.cards.${index}.${name}`, 'must be an object')
    }
}

/** Whether a request names a template in one of the two ways. */
export const namesTemplate = ({
  template_id,
  template_name,
}: Pick<TemplateInput, 'template_id' | 'template_name'>): boolean =>
  (template_id === undefined) !== (template_name === undefined)

export const ONE_NAME = 'or template_name is required, but only one of them'

function findRequested(
  ctx: Ctx,
  report: Report,
  input: TemplateInput,
  businessId: string | null,
): TemplateRow | null {
  const { template_id, template_name, language } = input
  if (!namesTemplate(input)) {
    report('body.template_id', ONE_NAME)
    return null
  }
  if (template_id !== undefined) {
    const row = findTemplate(ctx, template_id)
    if (row === null || row.deletedAtMs !== null)
      throw notFound('body.template_id', 'is not a template of this organization')
    return row
  }
  const named = findTemplatesByName(ctx, (template_name ?? '').trim())
  const candidates = named.filter((row) => businessId === null || row.businessId === businessId)
  if (candidates.length === 0)
    throw notFound('body.template_name', 'is not a template of this organization')
  const found =
    language === undefined
      ? candidates
      : candidates.filter((row) => row.languageKey === languageKeyOf(language))
  if (found.length === 0)
    throw notFound(
      'body.language',
      `is not a language of the template, which has ${languagesOf(candidates)}`,
    )
  const sendable = found.filter(isSendable)
  const choices = sendable.length === 0 ? found : sendable
  if (new Set(choices.map(({ languageKey }) => languageKey)).size > 1)
    report('body.language', `is required because the template has ${languagesOf(choices)}`)
  return choices[0] ?? null
}

const languagesOf = (rows: readonly TemplateRow[]): string =>
  [...new Set(rows.map(({ language }) => language))].toSorted().join(', ')

/** Parses JSON fields of a multipart form and reports invalid ones. Other fields stay unchanged. */
export function parsedParts<T extends Record<string, unknown>>(
  report: Report,
  body: T,
  names: readonly (keyof T & string)[],
): T {
  const parsed = names.flatMap((name) => {
    const value = body[name]
    if (typeof value !== 'string') return []
    const read = parse(value)
    const isGood = name === 'cards' ? Array.isArray(read) && read.every(isObject) : isObject(read)
    if (!isGood)
      report(
        `body.${name}`,
        `must be ${name === 'cards' ? 'a list of objects' : 'an object'} as JSON`,
      )
    return [[name, isGood ? read : undefined] as const]
  })
  return { ...body, ...Object.fromEntries(parsed) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
