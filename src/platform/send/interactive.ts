import type {
  AddressRequestContent,
  FlowContent,
  HeaderContent,
  InteractiveContent,
  MediaCard,
} from './content'

/** Platform names of interactive kinds that differ from the API's names. */
const PLATFORM_KINDS: Partial<Record<InteractiveContent['kind'], string>> = {
  location_request: 'location_request_message',
  catalog: 'catalog_message',
  product_carousel: 'carousel',
  media_carousel: 'carousel',
}

/** Platform IDs of the files of a message: of its header, and of each file of its cards. */
export interface FileIds {
  mediaId: string | null
  idOf?: ((mediaId: string) => string | null) | undefined
}

/** Builds the platform's `interactive` object. */
export function buildInteractive(
  content: InteractiveContent,
  { mediaId, idOf }: FileIds,
): Record<string, unknown> {
  const { kind, header, body, footer } = content
  return {
    type: PLATFORM_KINDS[kind] ?? kind,
    ...(header === null ? {} : { header: headerPart(header, mediaId) }),
    ...(body === null ? {} : { body: { text: body } }),
    ...(footer === null ? {} : { footer: { text: footer } }),
    action:
      content.kind === 'media_carousel'
        ? { cards: content.cards.map((card, index) => mediaCard(card, index, idOf)) }
        : actionOf(content),
  }
}

function headerPart(header: HeaderContent, mediaId: string | null): Record<string, unknown> {
  if (typeof header === 'string') return { type: 'text', text: header }
  const { type, filename } = header
  return {
    type,
    [type]: { id: mediaId, ...(type === 'document' && filename !== null ? { filename } : {}) },
  }
}

function actionOf(
  content: Exclude<InteractiveContent, { kind: 'media_carousel' }>,
): Record<string, unknown> {
  switch (content.kind) {
    case 'button':
      return {
        buttons: content.buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })),
      }
    case 'list':
      return { button: content.button_text, sections: content.sections.map(sectionOf) }
    case 'cta_url':
      return {
        name: 'cta_url',
        parameters: { display_text: content.button_text, url: content.url },
      }
    case 'location_request':
      return { name: 'send_location' }
    case 'contact_request':
      return { name: 'request_contact_info' }
    case 'call_permission_request':
      return { name: 'call_permission_request' }
    case 'product':
      return { catalog_id: content.catalog_id, product_retailer_id: content.product_retailer_id }
    case 'product_list':
      return { catalog_id: content.catalog_id, sections: content.sections.map(productSectionOf) }
    case 'flow':
      return { name: 'flow', parameters: flowParameters(content) }
    case 'product_carousel':
      return { cards: content.product_retailer_ids.map((id, index) => cardOf(content, id, index)) }
    case 'address_message':
      return { name: 'address_message', parameters: addressParameters(content) }
    case 'order_details':
      return { name: 'review_and_pay', parameters: content.parameters }
    case 'order_status': {
      const { reference_id, order_status: status, description } = content
      const order = { status, ...(description === null ? {} : { description }) }
      return { name: 'review_order', parameters: { reference_id, order } }
    }
    case 'voice_call':
      return { name: 'voice_call', ...callParameters(content) }
    case 'catalog': {
      const { thumbnail_product_retailer_id } = content
      return {
        name: 'catalog_message',
        ...(thumbnail_product_retailer_id === null
          ? {}
          : { parameters: { thumbnail_product_retailer_id } }),
      }
    }
  }
}

function mediaCard(
  { header, body, button_text, url }: MediaCard,
  card_index: number,
  idOf: FileIds['idOf'],
): Record<string, unknown> {
  const id = header.media_id === null ? null : (idOf?.(header.media_id) ?? null)
  return {
    card_index,
    type: 'cta_url',
    header: { type: header.type, [header.type]: { id } },
    ...(body === null ? {} : { body: { text: body } }),
    action: { name: 'cta_url', parameters: { display_text: button_text, url } },
  }
}

type Carousel = Extract<InteractiveContent, { kind: 'product_carousel' }>

const cardOf = (
  { catalog_id }: Carousel,
  product_retailer_id: string,
  card_index: number,
): Record<string, unknown> => ({
  card_index,
  type: 'product',
  action: { catalog_id, product_retailer_id },
})

const addressParameters = ({
  country,
  values,
  saved_addresses,
  validation_errors,
}: AddressRequestContent): Record<string, unknown> => ({
  country,
  ...(values === null ? {} : { values }),
  ...(saved_addresses.length === 0 ? {} : { saved_addresses }),
  ...(validation_errors === null ? {} : { validation_errors }),
})

function callParameters({
  button_text,
  ttl_minutes,
  payload,
}: Extract<InteractiveContent, { kind: 'voice_call' }>): Record<string, unknown> {
  const parameters = {
    ...(button_text === null ? {} : { display_text: button_text }),
    ...(ttl_minutes === null ? {} : { ttl_minutes }),
    ...(payload === null ? {} : { payload }),
  }
  return Object.keys(parameters).length === 0 ? {} : { parameters }
}

/** Version of Flow messages. The platform supports only this one (platform documentation 2.2). */
const FLOW_MESSAGE_VERSION = '3'

function flowParameters({
  button_text,
  meta_flow_id,
  mode,
  flow_action,
  screen,
  data,
  flow_token,
}: FlowContent): Record<string, unknown> {
  return {
    flow_message_version: FLOW_MESSAGE_VERSION,
    flow_token,
    flow_id: meta_flow_id,
    flow_cta: button_text,
    ...(mode === 'draft' ? { mode } : {}),
    flow_action,
    ...(flow_action === 'navigate' && screen !== null
      ? { flow_action_payload: { screen, ...(data === null ? {} : { data }) } }
      : {}),
  }
}

type ListContent = Extract<InteractiveContent, { kind: 'list' }>
type ProductListContent = Extract<InteractiveContent, { kind: 'product_list' }>

const sectionOf = ({ title, rows }: ListContent['sections'][number]): Record<string, unknown> => ({
  ...(title === null ? {} : { title }),
  rows: rows.map((row) => ({
    id: row.id,
    title: row.title,
    ...(row.description === null ? {} : { description: row.description }),
  })),
})

const productSectionOf = ({
  title,
  product_retailer_ids,
}: ProductListContent['sections'][number]): Record<string, unknown> => ({
  ...(title === null ? {} : { title }),
  product_items: product_retailer_ids.map((product_retailer_id) => ({ product_retailer_id })),
})
