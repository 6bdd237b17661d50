import {
  Type,
  type SchemaOptions,
  type Static,
  type TProperties,
  type TSchema,
} from '@sinclair/typebox'

import { freeObject, lineText, oneOf, writtenText } from '../../../../lib/fields'
import { byField } from '../../../inbox/contacts/plain-fields'
import { NewHours } from '../../chatbot-settings/hours/model'
import { METHODS } from './table'

/** Maximum lengths in Unicode characters, and maximum numbers of elements. */
const NODE_LIMITS = {
  text: 4_096,
  body: 1_024,
  header: 60,
  footer: 60,
  button: 20,
  buttonId: 200,
  expression: 1_000,
  regex: 500,
  template: 8_192,
  url: 2_000,
  headers: 20,
  headerValue: 4_096,
  mappings: 50,
  variables: 20,
  tags: 50,
  name: 64,
  synonyms: 20,
} as const

const Uuid = Type.String({ format: 'uuid' })
const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const text = (maxLength: number, description?: string) =>
  writtenText(maxLength, description === undefined ? {} : { description })

export const VARIABLE_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,63}$'
const storeAs = optional(
  Type.String({ pattern: VARIABLE_NAME, description: 'The variable that keeps the answer.' }),
)
const byVariable = <T extends TSchema>(value: T, maxProperties: number, options: SchemaOptions) =>
  Type.Record(Type.String({ pattern: VARIABLE_NAME }), value, { maxProperties, ...options })

/** How often a question is repeated that does not say so. */
export const USUAL_RETRIES = 3
const maxRetries = optional(
  Type.Integer({
    minimum: 0,
    maximum: 10,
    description:
      'How often the question is repeated after an answer that does not fit; then an edge with the ' +
      `condition \`max_retries\` must follow. Without it ${USUAL_RETRIES} times, and without an edge ` +
      'the customer is handed to a person.',
  }),
)
const bound = (description: string) =>
  optional(Type.Union([Type.Number(), lineText(NODE_LIMITS.name)], { description }))
const synonyms = Type.Optional(
  Type.Record(
    Type.String({ minLength: 1, maxLength: NODE_LIMITS.buttonId }),
    Type.Array(lineText(NODE_LIMITS.name), { minItems: 1, maxItems: NODE_LIMITS.synonyms }),
    {
      maxProperties: 10,
      description: 'Words that count as a tap, by the id of the button or row.',
    },
  ),
)

/** The name of a header (RFC 9110, 5.6.2). */
export const HEADER_NAME = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"
const url = text(NODE_LIMITS.url, 'Template. Values are percent-encoded.')
const headers = Type.Record(
  Type.String({ pattern: HEADER_NAME }),
  Type.String({ maxLength: NODE_LIMITS.headerValue }),
  {
    maxProperties: NODE_LIMITS.headers,
    default: {},
    description: 'Headers by name. Values are templates, stored encrypted, and read as `***`.',
  },
)
const requestBody = optional(
  text(NODE_LIMITS.template, 'Template of the body. Values are escaped for JSON strings.'),
)

const Button = Type.Object({
  id: lineText(NODE_LIMITS.buttonId),
  title: lineText(NODE_LIMITS.button),
})

/** Kinds of interactive messages that a node can send. */
export const NODE_INTERACTIVES = [
  'list',
  'cta_url',
  'location_request',
  'contact_request',
  'product',
  'product_list',
  'catalog',
] as const

const object = <T extends TProperties>(properties: T) => Type.Object(properties)

/** The config of each node type. */
export const NODE_CONFIGS = {
  start: object({}),
  message: object({ message: text(NODE_LIMITS.text) }),
  media: object({
    kind: oneOf(['image', 'video', 'audio', 'document', 'sticker']),
    media_id: optional(Uuid),
    url: optional(url),
    caption: optional(text(NODE_LIMITS.body)),
    filename: optional(lineText(240)),
  }),
  template: object({
    template_id: Uuid,
    params: freeObject({ default: {}, description: 'Parameters by name. Texts are templates.' }),
  }),
  buttons: object({
    body: text(NODE_LIMITS.body),
    buttons: Type.Array(Button, { minItems: 1, maxItems: 10 }),
    synonyms,
    header: optional(lineText(NODE_LIMITS.header)),
    footer: optional(lineText(NODE_LIMITS.footer)),
    store_as: storeAs,
    max_retries: maxRetries,
    retry_message: optional(text(NODE_LIMITS.body)),
  }),
  prompt: object({
    body: text(NODE_LIMITS.text),
    store_as: storeAs,
    input: oneOf(['any', 'text', 'number', 'email', 'phone', 'date', 'media', 'location'], {
      default: 'any',
    }),
    min: bound('Least number, fewest characters of a text, or first date (`today`, `2026-12-31`).'),
    max: bound('Greatest number, most characters of a text, or last date.'),
    validation_regex: optional(text(NODE_LIMITS.regex, 'Regular expression in RE2 syntax.')),
    validation_error: optional(text(NODE_LIMITS.text)),
    max_retries: maxRetries,
  }),
  whatsapp_flow: object({
    flow_id: Uuid,
    header: optional(lineText(NODE_LIMITS.header)),
    body: text(NODE_LIMITS.body),
    footer: optional(lineText(NODE_LIMITS.footer)),
    cta: lineText(NODE_LIMITS.button),
    store_as: storeAs,
  }),
  api_call: object({
    url,
    method: oneOf(METHODS, { default: 'GET' }),
    headers,
    body: requestBody,
    response_mapping: byVariable(text(255), NODE_LIMITS.mappings, {
      default: {},
      description:
        'Variables and the path of their value in the JSON response, such as `order.items[0].name`.',
    }),
    message_template: optional(text(NODE_LIMITS.text, 'Template of a message sent after 2xx.')),
    timeout_seconds: Type.Integer({ minimum: 1, maximum: 30, default: 10 }),
  }),
  webhook: object({ url, method: oneOf(METHODS, { default: 'POST' }), headers, body: requestBody }),
  condition: object({ expression: text(NODE_LIMITS.expression) }),
  timing: object({
    schedule: optional(NewHours),
    use_business_hours: Type.Boolean({ default: false }),
  }),
  set_variable: object({
    set: byVariable(
      Type.Union([
        Type.String({ maxLength: NODE_LIMITS.template }),
        Type.Number(),
        Type.Boolean(),
        Type.Null(),
      ]),
      NODE_LIMITS.variables,
      { description: 'Variables and their values. Texts are templates.' },
    ),
  }),
  update_contact: object({
    ...byField(() => optional(text(255))),
    attributes: Type.Optional(
      freeObject({ description: 'Values by attribute key. Texts are templates.' }),
    ),
    marketing_consent: optional(oneOf(['opted_in', 'opted_out'])),
  }),
  interactive: object({
    interactive: freeObject({
      description: `An interactive message of type ${NODE_INTERACTIVES.join(', ')}. Texts are templates.`,
    }),
    synonyms,
    store_as: storeAs,
    max_retries: optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description:
          'How often it is sent again after anything but a choice, or what it asks for. Without it ' +
          'every answer is accepted.',
      }),
    ),
    retry_message: optional(text(NODE_LIMITS.body)),
  }),
  delay: object({ seconds: Type.Integer({ minimum: 1, maximum: 86_400 }) }),
  tag: object({
    add: Type.Array(Uuid, { maxItems: NODE_LIMITS.tags, default: [] }),
    remove: Type.Array(Uuid, { maxItems: NODE_LIMITS.tags, default: [] }),
  }),
  assign: object({ user_id: optional(Uuid), team_id: optional(Uuid) }),
  ai_response: object({
    prompt_template: optional(text(NODE_LIMITS.text)),
    store_as: storeAs,
  }),
  transfer: object({
    body: optional(text(NODE_LIMITS.text)),
    team_id: optional(Type.Union([Uuid, Type.Literal('general')])),
    notes: optional(text(NODE_LIMITS.text)),
  }),
  goto_flow: object({ flow_id: Uuid }),
  end: object({ message: optional(text(NODE_LIMITS.text)) }),
}

export type NodeType = keyof typeof NODE_CONFIGS
export type NodeConfig<T extends NodeType = NodeType> = Static<(typeof NODE_CONFIGS)[T]>

/** The node types, in the order of the documentation. */
export const NODE_TYPES = Object.keys(NODE_CONFIGS) as NodeType[]
