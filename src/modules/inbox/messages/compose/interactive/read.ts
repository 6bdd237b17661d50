import type {
  FlowContent,
  HeaderContent,
  InteractiveContent,
} from '../../../../../platform/send/content'
import { freeObjectProblems } from '../../../../../lib/free-object'
import { LIMITS, type INTERACTIVE_KINDS } from '../rules'
import type { InteractiveInput } from './model'
import { requiredText, optionalText, httpUrl, type Report } from '../../../../../lib/input-problems'
import { readSource, type FileInput } from '../media'
import { readMediaCards } from './carousel'
import { readAddressRequest, readCallButton } from './address-and-call'
import { readCardProducts, readOrderStatus, readPaymentRequest } from './orders'
import { INTERACTIVE_PATH, readButtons, readRows, readProducts } from './sections'

type Kind = (typeof INTERACTIVE_KINDS)[number]
const MEDIA_HEADER: ReadonlySet<Kind> = new Set(['button', 'cta_url', 'flow', 'order_details'])
const TEXT_HEADER: ReadonlySet<Kind> = new Set([
  ...MEDIA_HEADER,
  'list',
  'product_list',
  'address_message',
])

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
    report(INTERACTIVE_PATH, 'is required')
    return null
  }
  const kind = input.type
  const { header, file } = readHeader(report, kind, input.header)
  const frame = {
    header,
    footer: optionalText(report, `${INTERACTIVE_PATH}.footer`, input.footer, LIMITS.footer),
  }
  if (kind === 'product') {
    const body = optionalText(report, `${INTERACTIVE_PATH}.body`, input.body, LIMITS.body)
    return {
      content: {
        kind,
        body,
        ...frame,
        ...catalogOf(report, input),
        product_retailer_id: productOf(report, input),
      },
      file,
      cardFiles: [],
    }
  }
  const body = requiredText(
    report,
    `${INTERACTIVE_PATH}.body`,
    input.body,
    kind === 'list' ? LIMITS.listBody : LIMITS.body,
  )
  const isCarousel = kind === 'media_carousel' || kind === 'product_carousel'
  if (isCarousel && frame.footer !== null)
    report(`${INTERACTIVE_PATH}.footer`, `cannot be combined with ${kind}`)
  if (kind === 'media_carousel') {
    const { cards, files } = readMediaCards(report, input.cards)
    return { content: { kind, body, ...frame, cards }, file, cardFiles: files }
  }
  const content = readKind(report, kind, input, { body, ...frame })
  return content && { content, file, cardFiles: [] }
}

const catalogOf = (report: Report, input: InteractiveInput): { catalog_id: string } => ({
  catalog_id: requiredText(
    report,
    `${INTERACTIVE_PATH}.catalog_id`,
    input.catalog_id,
    LIMITS.productId,
  ),
})

const productOf = (report: Report, input: InteractiveInput): string =>
  requiredText(
    report,
    `${INTERACTIVE_PATH}.product_retailer_id`,
    input.product_retailer_id,
    LIMITS.productId,
  )

function readKind(
  report: Report,
  kind: Exclude<Kind, 'product' | 'media_carousel'>,
  input: InteractiveInput,
  frame: { body: string; header: HeaderContent | null; footer: string | null },
): InteractiveContent | null {
  const button_text = (): string =>
    requiredText(report, `${INTERACTIVE_PATH}.button_text`, input.button_text, LIMITS.buttonText)
  switch (kind) {
    case 'button':
      return { kind, ...frame, buttons: readButtons(report, input.buttons) }
    case 'list':
      return {
        kind,
        ...frame,
        button_text: button_text(),
        sections: readRows(report, input.sections),
      }
    case 'cta_url':
      return {
        kind,
        ...frame,
        button_text: button_text(),
        url: httpUrl(report, `${INTERACTIVE_PATH}.url`, input.url, LIMITS.url),
      }
    case 'location_request':
    case 'contact_request':
    case 'call_permission_request':
      return { kind, ...frame }
    case 'product_list':
      return {
        kind,
        ...frame,
        ...catalogOf(report, input),
        sections: readProducts(report, input.sections),
      }
    case 'catalog': {
      const path = `${INTERACTIVE_PATH}.thumbnail_product_retailer_id`
      const thumbnail = optionalText(
        report,
        path,
        input.thumbnail_product_retailer_id,
        LIMITS.productId,
      )
      return { kind, ...frame, thumbnail_product_retailer_id: thumbnail }
    }
    case 'product_carousel': {
      const product_retailer_ids = readCardProducts(report, input.product_retailer_ids)
      return { kind, ...frame, ...catalogOf(report, input), product_retailer_ids }
    }
    case 'address_message':
      return { kind, ...frame, ...readAddressRequest(report, input) }
    case 'order_details':
      return { kind, ...frame, parameters: readPaymentRequest(report, input.parameters) }
    case 'order_status':
      return { kind, ...frame, ...readOrderStatus(report, input) }
    case 'voice_call':
      return { kind, ...frame, ...readCallButton(report, input) }
    case 'flow':
      return { kind, ...frame, ...readFlow(report, input) }
  }
}

/** Reads the Flow fields of the body. The Flow itself adds the rest later. */
function readFlow(
  report: Report,
  input: InteractiveInput,
): Omit<FlowContent, 'kind' | 'body' | 'header' | 'footer'> {
  const { flow_id, mode = 'published', screen, data } = input
  if (flow_id === undefined) report(`${INTERACTIVE_PATH}.flow_id`, 'is required')
  // The platform replaces the button label of a draft Flow.
  const button_text = requiredText(
    report,
    `${INTERACTIVE_PATH}.button_text`,
    input.button_text,
    mode === 'draft' ? LIMITS.draftButtonText : LIMITS.buttonText,
  )
  if (/\p{Extended_Pictographic}/u.test(button_text))
    report(`${INTERACTIVE_PATH}.button_text`, 'must not contain emoji')
  for (const problem of data === undefined
    ? []
    : freeObjectProblems(data, `${INTERACTIVE_PATH}.data`, MAX_DATA))
    report(problem.path, problem.message)
  return {
    button_text,
    flow_id: flow_id ?? '',
    meta_flow_id: '',
    flow_name: '',
    mode,
    flow_action: 'navigate',
    screen: optionalText(report, `${INTERACTIVE_PATH}.screen`, screen, LIMITS.screen),
    data: data ?? null,
    flow_token: '',
  }
}

/** Limits of the data for the first screen of a Flow. */
const MAX_DATA = { bytes: 64 * 1024, levels: 10 }

function readHeader(
  report: Report,
  kind: Kind,
  header: InteractiveInput['header'],
): { header: HeaderContent | null; file: FileInput | null } {
  const path = `${INTERACTIVE_PATH}.header`
  if (header === undefined || header === '') {
    if (kind === 'product_list') report(path, 'is required')
    return { header: null, file: null }
  }
  if (typeof header === 'string') {
    if (!TEXT_HEADER.has(kind)) report(path, `cannot be combined with ${kind}`)
    return { header: requiredText(report, path, header, LIMITS.header), file: null }
  }
  const { type } = header
  if (!MEDIA_HEADER.has(kind))
    report(
      path,
      TEXT_HEADER.has(kind) ? `must be text for ${kind}` : `cannot be combined with ${kind}`,
    )
  const file = readSource(report, path, type, header)
  return { header: { type, media_id: file?.mediaId ?? null, filename: null }, file }
}
