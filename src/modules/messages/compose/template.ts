import { fieldSentence, ConflictError, InvalidError } from '../../../lib/errors'
import { isObject } from '../../../platform/lenient-json'
import type { TemplateContent } from '../../../platform/send/content'
import type {
  TemplateComponent,
  TemplateToSend,
  TemplateComponentParameters,
} from '../../../platform/send/template'
import {
  componentOf,
  headerKind,
  mediaFormatOf,
  type Button,
  type Header,
} from '../../../platform/templates/components'
import type { Report } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import type { StagedFile } from '../../../infra/files/staged-file'
import { findFlow } from '../../flows/state'
import type { FlowRow } from '../../flows/view'
import type { MediaRow } from '../../media/view'
import {
  fillTemplate,
  HIDDEN_CODE,
  requireFilled,
  type RenderedTemplate,
} from '../../templates/render/render'
import type { CardValues, HeaderFile, TemplateValues } from '../../templates/render/values'
import {
  fillableOf,
  findTemplate,
  isSendable,
  languageKeyOf,
  templatesNamed,
} from '../../templates/state'
import {
  sentComponentsOf,
  sentHeaderFileOf,
  variablesOfTemplate,
  type TemplateRow,
} from '../../templates/view'
import { labelOf } from '../../templates/variables'
import type { FileInput } from './media'
import type { NewMessage } from './model'

/** A template as it was asked for; its files are still to be found. */
export interface TemplateDraft {
  row: TemplateRow
  values: TemplateValues
  /** The files of the cards, by place; `null` where a card takes none or none was said. */
  cardFiles: (FileInput | null)[]
  /** What a message that is sent once more was filled in with. */
  repeated: { content: TemplateContent; toSend: TemplateToSend } | null
}

/** A template that can be handed over, with what is kept of it. */
export interface TemplateMessage {
  content: TemplateContent
  toSend: TemplateToSend
}

/** The fields of a body that are about a template. */
export type TemplateInput = Pick<
  NewMessage,
  | 'template_id'
  | 'template_name'
  | 'language'
  | 'template_params'
  | 'header_params'
  | 'button_params'
  | 'header_media_id'
  | 'header_media_url'
  | 'header_media_filename'
  | 'cards'
  | 'flow_params'
  | 'offer_expires_at'
> & { file?: StagedFile | undefined }

const notFound = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'template_not_found',
    errors: [{ path, message }],
  })

/**
 * Finds the template that is asked for and reads what is said of it. Throws InvalidError
 * `template_not_found`; what is wrong with fields is noted. `businessId` is that of the number it
 * shall be sent from, where that was said.
 */
export function readTemplate(
  ctx: Ctx,
  report: Report,
  asked: TemplateInput,
  businessId: string | null,
): { draft: TemplateDraft; file: FileInput | null } | null {
  const row = rowOf(ctx, report, asked, businessId)
  if (row === null) return null
  checkCards(report, asked.cards ?? [])
  const components = sentComponentsOf(row)
  const cards = componentOf(components, 'CAROUSEL')?.cards ?? []
  const file = readHeaderFile(report, 'body', componentOf(components, 'HEADER'), {
    ...asked,
    ownId: sentHeaderFileOf(row),
  })
  const cardFiles = cards.map((card, index) => {
    const header = componentOf(card.components, 'HEADER')
    const own = header !== undefined && 'media_id' in header ? (header.media_id ?? null) : null
    return readHeaderFile(report, `body.cards.${index}`, header, {
      ...asked.cards?.[index],
      file: undefined,
      ownId: own,
    })
  })
  const values: TemplateValues = {
    body: asked.template_params,
    header: asked.header_params,
    buttons: asked.button_params,
    flow: asked.flow_params,
    offerExpiresAt: asked.offer_expires_at,
    cards: asked.cards?.map(({ template_params, header_params, button_params }): CardValues => ({
      body: template_params,
      header: header_params,
      buttons: button_params,
    })),
  }
  return { draft: { row, values, cardFiles, repeated: null }, file }
}

/** The members of cards, which no schema looks at. */
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

function rowOf(
  ctx: Ctx,
  report: Report,
  asked: TemplateInput,
  businessId: string | null,
): TemplateRow | null {
  const { template_id, template_name, language } = asked
  if ((template_id === undefined) === (template_name === undefined)) {
    report('body.template_id', 'or template_name is required, but only one of them')
    return null
  }
  if (template_id !== undefined) {
    const row = findTemplate(ctx, template_id)
    if (row === null || row.deletedAtMs !== null)
      throw notFound('body.template_id', 'is not a template of this organization')
    return row
  }
  const named = templatesNamed(ctx, (template_name ?? '').trim())
  const inReach = named.filter((row) => businessId === null || row.businessId === businessId)
  if (inReach.length === 0)
    throw notFound('body.template_name', 'is not a template of this organization')
  const found =
    language === undefined
      ? inReach
      : inReach.filter((row) => row.languageKey === languageKeyOf(language))
  if (found.length === 0)
    throw notFound(
      'body.language',
      `is not a language of the template, which has ${languagesOf(inReach)}`,
    )
  const sendable = found.filter(isSendable)
  const left = sendable.length === 0 ? found : sendable
  if (new Set(left.map(({ languageKey }) => languageKey)).size > 1)
    report('body.language', `is required because the template has ${languagesOf(left)}`)
  return left[0] ?? null
}

const languagesOf = (rows: readonly TemplateRow[]): string =>
  [...new Set(rows.map(({ language }) => language))].toSorted().join(', ')

/** The one file of a header: what was asked for, else the template's own. */
function readHeaderFile(
  report: Report,
  root: string,
  header: Header | undefined,
  source: Pick<
    TemplateInput,
    'header_media_id' | 'header_media_url' | 'header_media_filename' | 'file'
  > & { ownId: string | null },
): FileInput | null {
  const { header_media_id: mediaId, header_media_url: url, file, ownId } = source
  const named = [mediaId, url, file].filter((value) => value !== undefined)
  const format = mediaFormatOf(header)
  const path =
    mediaId !== undefined
      ? `${root}.header_media_id`
      : url !== undefined
        ? `${root}.header_media_url`
        : `${root}.header_file`
  if (named.length > 1) report(path, 'cannot be combined with another source of the file')
  if (format === null) {
    if (named.length > 0) report(path, "cannot be used because the template's header has no file")
    return null
  }
  const asked: FileInput = {
    kind: headerKind(format),
    mediaId: mediaId ?? null,
    url: url ?? null,
    staged: file ?? null,
    filename: source.header_media_filename,
    path,
  }
  if (named.length === 1) return asked
  return ownId === null ? null : { ...asked, mediaId: ownId, isKeptReady: true }
}

/** The files of a template once they are there: of its header, and of its cards by place. */
export interface TemplateFiles {
  header: MediaRow | null
  cards: (MediaRow | null)[]
}

/** Stands for a file that is still to be fetched, while everything else is looked at. */
const TO_COME: HeaderFile = { mediaId: '', filename: null }

const fileOf = (row: MediaRow | null, asked: FileInput | null): HeaderFile | null => {
  if (row !== null) return { mediaId: row.id, filename: asked?.filename ?? row.filename }
  return asked !== null && asked.mediaId === null ? TO_COME : null
}

/**
 * Fills a template in with what was asked for and the files that are there. Throws InvalidError
 * `template_not_approved`, `missing_params` and `invalid_params`.
 */
export function templateMessage(
  draft: TemplateDraft,
  file: FileInput | null,
  files: TemplateFiles,
): TemplateMessage {
  const { row } = draft
  if (!isSendable(row))
    throw new InvalidError(
      `Template "${row.name}" (${row.language}) cannot be sent because its status is ` +
        `${row.status}.`,
      {
        code: 'template_not_approved',
        details: { template_id: row.id, status: row.status },
      },
    )
  if (draft.repeated) return draft.repeated
  const cards = draft.cardFiles.map((asked, index) => ({
    ...draft.values.cards?.[index],
    file: fileOf(files.cards[index] ?? null, asked),
  }))
  const surplus = draft.values.cards?.slice(cards.length) ?? []
  const filled = fillTemplate(fillableOf(row), {
    ...draft.values,
    file: fileOf(files.header, file),
    cards: [...cards, ...surplus],
  })
  requireFilled(filled, expectedOf(row))
  return {
    content: contentOf(row, filled.rendered, draft.values.body ?? {}),
    toSend: { name: row.name, language: row.language, components: filled.parts },
  }
}

const expectedOf = (row: TemplateRow): string[] =>
  variablesOfTemplate(row)
    .filter(({ required }) => required)
    .map(labelOf)

/** A filled template as a message keeps and shows it. */
export const contentOf = (
  row: TemplateRow,
  rendered: RenderedTemplate,
  params: Record<string, unknown>,
): TemplateContent => ({
  template_id: row.id,
  name: row.name,
  language: row.language,
  category: row.category,
  header: rendered.header,
  body: rendered.body,
  footer: rendered.footer,
  offer: rendered.offer,
  buttons: rendered.buttons.map((button) => ({ ...button })),
  cards: rendered.cards.map((card) => ({ ...card })),
  params: row.category === 'AUTHENTICATION' ? { '1': HIDDEN_CODE } : params,
})

/**
 * The draft of a template's message that is sent once more. Throws ConflictError `not_resendable`
 * when its one-time code is kept no longer.
 */
export function repeatedTemplate(
  ctx: Ctx,
  content: TemplateContent,
  toSend: TemplateToSend | null,
): TemplateDraft {
  const row = findTemplate(ctx, content.template_id)
  if (row === null || toSend === null)
    throw new ConflictError(
      'The one-time code of this message is no longer stored. Send a new one.',
      {
        code: 'not_resendable',
      },
    )
  return { row, values: {}, cardFiles: [], repeated: { content, toSend } }
}

/**
 * Objects of a form, which come as JSON texts; everything else stays as it is. Problems are noted.
 */
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

const flowButtonOf = (
  row: TemplateRow,
): { button: Extract<Button, { type: 'FLOW' }>; index: number } | null => {
  const buttons = componentOf(sentComponentsOf(row), 'BUTTONS')?.buttons ?? []
  const index = buttons.findIndex(({ type }) => type === 'FLOW')
  const button = buttons[index]
  return button?.type === 'FLOW' ? { button, index } : null
}

/** The form behind the button of a template, where it is one of ours. */
export function flowOfTemplate(ctx: Ctx, row: TemplateRow): FlowRow | null {
  const flowId = flowButtonOf(row)?.button.flow_id
  return flowId === undefined ? null : findFlow(ctx, flowId)
}

/** A template with the token that stands for its form, unless whoever sends it gave one. */
export function withFlowToken(
  row: TemplateRow,
  toSend: TemplateToSend,
  token: string,
): TemplateToSend {
  const place = flowButtonOf(row)
  if (place === null) return toSend
  const index = String(place.index)
  const isPlace = (part: TemplateComponent): part is TemplateComponentParameters =>
    part.type === 'button' && part.index === index
  const known = toSend.components.find(isPlace)?.parameters[0]?.['action'] as
    | Record<string, unknown>
    | undefined
  if (known?.['flow_token'] !== undefined) return toSend
  const part: TemplateComponentParameters = {
    type: 'button',
    sub_type: 'flow',
    index,
    parameters: [{ type: 'action', action: { ...known, flow_token: token } }],
  }
  return { ...toSend, components: [...toSend.components.filter((other) => !isPlace(other)), part] }
}

/** Whether a template's components hold a code nobody may read later. */
export const isSecret = (row: Pick<TemplateRow, 'category'>): boolean =>
  row.category === 'AUTHENTICATION'
