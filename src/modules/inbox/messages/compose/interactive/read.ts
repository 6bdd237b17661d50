import type { TProperties, TSchema } from '@sinclair/typebox'

import type { HeaderContent, InteractiveContent } from '../../../../../platform/send/content'
import { reportDuplicates, requiredText, type Report } from '../../../../../lib/input-problems'
import { readFields } from '../../../../../lib/read-fields'
import { LIMITS, MAX_COUNTS } from '../rules'
import { readSource, type FileInput } from '../media'
import { readCardFiles } from './carousel'
import { Footer, KINDS, STRICTER, type InteractiveInput } from './model'
import { checkPayment } from './payment'

const PATH = 'body.interactive'

/** An interactive message with the file of its header. */
export interface ReadInteractive {
  content: InteractiveContent
  file: FileInput | null
  /** Files of its cards by index. */
  cardFiles: (FileInput | null)[]
}

/**
 * Reads an interactive message by kind (platform documentation 2.2 and 2.3). Returns `null` if there
 * is none.
 */
export function readInteractive(
  report: Report,
  input: InteractiveInput | undefined,
): ReadInteractive | null {
  if (input === undefined) {
    report(PATH, 'is required')
    return null
  }
  const { type: kind } = input
  const { header: headerSchema, footer: footerSchema, body, ...own } = fieldsOf(input)
  const { header, file } = readHeader(report, kind, headerSchema, input.header)
  const { footer, ...frame } = readFields(report, PATH, { footer: Footer, body }, input)
  if (footerSchema === undefined && footer !== null)
    report(`${PATH}.footer`, `cannot be combined with ${kind}`)
  const content = {
    ...{ kind, ...frame, header, footer },
    ...readFields(report, PATH, own, input),
  } as InteractiveContent // its fields are those of its kind
  checkTogether(report, content, input)
  if (content.kind === 'media_carousel') {
    const cardFiles = readCardFiles(report, input.cards ?? [])
    const cards = content.cards.map((card, index) => ({
      ...card,
      header: {
        type: card.header.type,
        media_id: cardFiles[index]?.mediaId ?? null,
        filename: null,
      },
    }))
    return { content: { ...content, cards }, file, cardFiles }
  }
  return { content: content.kind === 'flow' ? awaitingFlow(content) : content, file, cardFiles: [] }
}

/** Returns the fields of a kind, with the stricter ones where the message needs these. */
function fieldsOf({
  type,
  mode,
  sections = [],
}: InteractiveInput): TProperties & { body: TSchema } {
  const isStrict = type === 'flow' ? mode !== 'draft' : sections.length > 1
  return isStrict && type in STRICTER
    ? { ...KINDS[type], ...STRICTER[type as keyof typeof STRICTER] }
    : KINDS[type]
}

/** The Flow itself adds the rest once it is found. */
const awaitingFlow = (
  content: Extract<InteractiveContent, { kind: 'flow' }>,
): InteractiveContent => ({
  ...content,
  mode: content.mode ?? 'published',
  ...{ meta_flow_id: '', flow_name: '', flow_action: 'navigate', flow_token: '' },
})

function readHeader(
  report: Report,
  kind: InteractiveInput['type'],
  schema: TSchema | undefined,
  header: InteractiveInput['header'],
): { header: HeaderContent | null; file: FileInput | null } {
  const path = `${PATH}.header`
  if (header === undefined || header === '') {
    if (kind === 'product_list') report(path, 'is required')
    return { header: null, file: null }
  }
  if (schema === undefined) report(path, `cannot be combined with ${kind}`)
  if (typeof header === 'string')
    return { header: requiredText(report, path, header, LIMITS.header), file: null }
  if (schema?.['type'] === 'string') report(path, `must be text for ${kind}`)
  const file = readSource(report, path, header.type, header)
  return { header: { type: header.type, media_id: file?.mediaId ?? null, filename: null }, file }
}

/** Reports values that are right alone but not together, such as two buttons with one ID. */
function checkTogether(report: Report, content: InteractiveContent, input: InteractiveInput): void {
  const unique = (values: [place: string, value: string][]): void =>
    reportDuplicates(
      report,
      values.map(([place, value]) => ({ path: `${PATH}.${place}`, value })),
    )
  const atMost = (most: number, what: string, lists: readonly unknown[][]): void => {
    if (lists.flat().length > most)
      report(`${PATH}.sections`, `must have at most ${most} ${what} in total`)
  }
  switch (content.kind) {
    case 'button':
      unique(content.buttons.map(({ id }, index) => [`buttons.${index}.id`, id]))
      unique(content.buttons.map(({ title }, index) => [`buttons.${index}.title`, title]))
      break
    case 'list':
      unique(
        content.sections.flatMap(({ rows }, section) =>
          rows.map(({ id }, index) => [`sections.${section}.rows.${index}.id`, id] as const),
        ),
      )
      atMost(
        MAX_COUNTS.rows,
        'rows',
        content.sections.map(({ rows }) => rows),
      )
      break
    case 'product_list':
      atMost(
        MAX_COUNTS.products,
        'products',
        content.sections.map(({ product_retailer_ids }) => product_retailer_ids),
      )
      break
    case 'product_carousel':
      unique(content.product_retailer_ids.map((id, index) => [`product_retailer_ids.${index}`, id]))
      break
    case 'order_details':
      if (input.parameters !== undefined)
        checkPayment(report, `${PATH}.parameters`, content.parameters)
      break
    default:
  }
}
