import { ConflictError, InvalidError } from '../../../../../lib/errors'
import type { TemplateContent } from '../../../../../platform/send/content'
import type { TemplateToSend } from '../../../../../platform/send/template'
import type { Ctx } from '../../../../../infra/ctx'
import type { MediaRow } from '../../../../channel/media/view'
import { fillTemplate, requireFilled } from '../../../../channel/templates/render/render'
import { HIDDEN_CODE, type RenderedTemplate } from '../../../../channel/templates/render/rendered'
import type { HeaderFile } from '../../../../channel/templates/render/values'
import { sentTemplateOf } from '../../../../channel/templates/view'
import { findTemplate } from '../../../../channel/templates/queries'
import { isSendable } from '../../../../channel/templates/status'
import { variablesOfTemplate, type TemplateRow } from '../../../../channel/templates/view'
import { variableLabel } from '../../../../channel/templates/variables'
import type { FileInput } from '../media'
import type { ParsedTemplate } from './read'

/** A filled template with its stored content and its platform components. */
export interface TemplateMessage {
  content: TemplateContent
  toSend: TemplateToSend
}

/** Stored files of a template: header, and cards by index. */
export interface TemplateFiles {
  header: MediaRow | null
  cards: (MediaRow | null)[]
}

/** Placeholder for a file that is not downloaded yet, so that everything else can be validated. */
const PENDING_FILE: HeaderFile = { mediaId: '', filename: null }

const fileOf = (row: MediaRow | null, input: FileInput | null): HeaderFile | null => {
  if (row !== null) return { mediaId: row.id, filename: input?.filename ?? row.filename }
  return input !== null && input.mediaId === null ? PENDING_FILE : null
}

/**
 * Fills a template with the requested values and stored files. Throws InvalidError
 * `template_not_approved`, `missing_params` and `invalid_params`.
 */
export function templateMessage(
  parsed: ParsedTemplate,
  file: FileInput | null,
  files: TemplateFiles,
): TemplateMessage {
  const { row } = parsed
  if (!isSendable(row))
    throw new InvalidError(
      `Template "${row.name}" (${row.language}) cannot be sent because its status is ` +
        `${row.status}.`,
      {
        code: 'template_not_approved',
        details: { template_id: row.id, status: row.status },
      },
    )
  if (parsed.repeated) return parsed.repeated
  const cards = parsed.cardFiles.map((input, index) => ({
    ...parsed.values.cards?.[index],
    file: fileOf(files.cards[index] ?? null, input),
  }))
  const surplus = parsed.values.cards?.slice(cards.length) ?? []
  const filled = fillTemplate(sentTemplateOf(row), {
    ...parsed.values,
    file: fileOf(files.header, file),
    cards: [...cards, ...surplus],
  })
  requireFilled(filled, expectedOf(row))
  return {
    content: templateContentOf(row, filled.rendered, parsed.values.body ?? {}),
    toSend: { name: row.name, language: row.language, components: filled.parts },
  }
}

const expectedOf = (row: TemplateRow): string[] =>
  variablesOfTemplate(row)
    .filter(({ required }) => required)
    .map(variableLabel)

/** The message content of a filled template. */
export const templateContentOf = (
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
 * Parses the template of a message that is resent. Throws ConflictError `not_resendable` if its
 * one-time code was deleted.
 */
export function repeatedTemplate(
  ctx: Ctx,
  content: TemplateContent,
  toSend: TemplateToSend | null,
): ParsedTemplate {
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

/** Whether the template contains a one-time code, which is stored encrypted. */
export const isSecret = (row: Pick<TemplateRow, 'category'>): boolean =>
  row.category === 'AUTHENTICATION'
