import type { NodeType } from './graph'

/** Things of the organization that a node names. */
export type Reference = 'team' | 'colleague' | 'template' | 'form' | 'flow'

/** How a setting of a node is asked for. */
type Shape =
  | { as: 'text'; most: number; rows?: number }
  | { as: 'line'; most: number }
  | { as: 'number'; range: readonly [number, number]; isOptional?: true }
  | { as: 'choice'; options: readonly string[]; usual: string | null }
  | { as: 'variable' }
  | { as: 'bound' }
  | { as: 'pairs'; most: number; value: 'text' | 'secret' | 'path' }
  | { as: 'reference'; to: Reference }
  | { as: 'switch' }
  | { as: 'file' }
  | { as: 'tags' }
  | { as: 'hours' }
  | { as: 'params' }
  | { as: 'attributes' }
  | { as: 'buttons' }
  | { as: 'sections' }
  | { as: 'products' }
  | { as: 'expression' }
  | { as: 'seconds' }
  | { as: 'header' }
  | { as: 'synonyms' }

/** A setting of a node. */
export type Field = Shape & {
  name: string
  /** Whether most people never need it. */
  isMore?: true
}

const text = (name: string, most: number, more: Partial<Pick<Field, 'isMore'>> = {}): Field => ({
  ...{ as: 'text', name, most },
  ...more,
})
const line = (name: string, most: number, more: Partial<Pick<Field, 'isMore'>> = {}): Field => ({
  ...{ as: 'line', name, most },
  ...more,
})
const MORE = { isMore: true } as const
const choice = (
  name: string,
  options: readonly string[],
  usual: string | null,
  more: Partial<Pick<Field, 'isMore'>> = {},
): Field => ({ ...{ as: 'choice', name, options, usual }, ...more })
const reference = (name: string, to: Reference): Field => ({ as: 'reference', name, to })

const storeAs: Field = { as: 'variable', name: 'store_as' }
const retries: Field = {
  ...{ as: 'number', name: 'max_retries', range: [0, 10], isOptional: true },
  ...MORE,
}
const header = line('header', 60, MORE)
const footer = line('footer', 60, MORE)
const synonyms: Field = { as: 'synonyms', name: 'synonyms', ...MORE }
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const url = text('url', 2_000)
const headers: Field = { as: 'pairs', name: 'headers', most: 20, value: 'secret', ...MORE }
const body = text('body', 8_192, MORE)

/** What a prompt takes as an answer. */
const INPUTS = ['any', 'text', 'number', 'email', 'phone', 'date', 'media', 'location']

/** The settings of each type of nodes, in the order in which people need them. */
export const FIELDS: Readonly<Record<NodeType, readonly Field[]>> = {
  start: [],
  message: [text('message', 4_096)],
  media: [
    choice('kind', ['image', 'video', 'audio', 'document', 'sticker'], 'image'),
    { as: 'file', name: 'media_id' },
    text('caption', 1_024),
    line('url', 2_000, MORE),
    line('filename', 240, MORE),
  ],
  template: [reference('template_id', 'template'), { as: 'params', name: 'params' }],
  buttons: [
    text('body', 1_024),
    { as: 'buttons', name: 'buttons' },
    { ...storeAs, ...MORE },
    header,
    footer,
    synonyms,
    retries,
    text('retry_message', 1_024, MORE),
  ],
  prompt: [
    text('body', 4_096),
    choice('input', INPUTS, 'any'),
    storeAs,
    { as: 'bound', name: 'min', ...MORE },
    { as: 'bound', name: 'max', ...MORE },
    text('validation_error', 4_096, MORE),
    line('validation_regex', 500, MORE),
    retries,
  ],
  whatsapp_flow: [
    reference('flow_id', 'form'),
    text('body', 1_024),
    line('cta', 20),
    { ...storeAs, ...MORE },
    header,
    footer,
  ],
  api_call: [
    choice('method', METHODS, 'GET'),
    url,
    { as: 'pairs', name: 'response_mapping', most: 50, value: 'path' },
    text('message_template', 4_096, MORE),
    body,
    headers,
    { as: 'number', name: 'timeout_seconds', range: [1, 30], ...MORE },
  ],
  webhook: [choice('method', METHODS, 'POST'), url, body, headers],
  condition: [{ as: 'expression', name: 'expression' }],
  timing: [
    { as: 'switch', name: 'use_business_hours' },
    { as: 'hours', name: 'schedule' },
  ],
  set_variable: [{ as: 'pairs', name: 'set', most: 20, value: 'text' }],
  update_contact: [
    line('name', 255),
    { as: 'attributes', name: 'attributes' },
    choice('marketing_consent', ['opted_in', 'opted_out'], null),
    line('language', 255, MORE),
  ],
  interactive: [{ ...storeAs, ...MORE }, synonyms, retries, text('retry_message', 1_024, MORE)],
  delay: [{ as: 'seconds', name: 'seconds' }],
  tag: [
    { as: 'tags', name: 'add' },
    { as: 'tags', name: 'remove' },
  ],
  assign: [reference('team_id', 'team'), reference('user_id', 'colleague')],
  ai_response: [text('prompt_template', 4_096), { ...storeAs, ...MORE }],
  transfer: [text('body', 4_096), reference('team_id', 'team'), text('notes', 4_096)],
  goto_flow: [reference('flow_id', 'flow')],
  end: [text('message', 4_096)],
}

/** Kinds of messages that a node of type `interactive` sends. */
export const INTERACTIVES = [
  'list',
  'cta_url',
  'location_request',
  'contact_request',
  'product',
  'product_list',
  'catalog',
] as const
export type InteractiveKind = (typeof INTERACTIVES)[number]

const requestBody = text('body', 1_024)
const catalogId = line('catalog_id', 255)

/** The settings of the message that a node of type `interactive` sends, by its kind. */
export const INTERACTIVE_FIELDS: Readonly<Record<InteractiveKind, readonly Field[]>> = {
  list: [
    text('body', 4_096),
    line('button_text', 20),
    { as: 'sections', name: 'sections' },
    header,
    footer,
  ],
  cta_url: [
    requestBody,
    line('button_text', 20),
    line('url', 2_000),
    { as: 'header', name: 'header', ...MORE },
    footer,
  ],
  location_request: [requestBody, footer],
  contact_request: [requestBody, footer],
  product: [requestBody, catalogId, line('product_retailer_id', 255), footer],
  product_list: [
    line('header', 60),
    requestBody,
    catalogId,
    { as: 'products', name: 'sections' },
    footer,
  ],
  catalog: [requestBody, line('thumbnail_product_retailer_id', 255, MORE), footer],
}
