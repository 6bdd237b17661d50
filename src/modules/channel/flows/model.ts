import { Type, type Static, type TSchema } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'
import { CAN_SEND } from '../../../platform/client/can-send'
import { nameText, objectOrList, objectOrText } from '../../../lib/fields'
import { ListedContact } from '../../inbox/contacts/listed'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const numberOrNull = Type.Union([Type.Number(), Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])

/** Purposes of a Flow, as named by the platform. */
const CATEGORIES = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
] as const

/** Statuses of a Flow. */
export const STATUSES = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const

/** Source of the data exchange answers: none, stored rules, or an HTTP endpoint of the customer. */
const ENDPOINT_MODES = ['none', 'rules', 'http'] as const

const literals = <const T extends readonly string[]>(words: T) =>
  Type.Union(words.map((word) => Type.Literal(word)))

const ValidationError = Type.Object(
  {
    error: textOrNull,
    error_type: textOrNull,
    message: textOrNull,
    line_start: numberOrNull,
    line_end: numberOrNull,
    column_start: numberOrNull,
    column_end: numberOrNull,
    path: textOrNull,
  },
  {
    title: 'FlowValidationError',
    description:
      'Errors found by the platform. Line numbers refer to the JSON printed with two spaces ' +
      'of indentation.',
  },
)

const Health = Type.Object({
  can_send: Type.Union([Type.String({ enum: [...CAN_SEND] }), Type.Null()], {
    description: 'As reported by the platform. `null` until it reports it.',
  }),
  errors: Type.Array(
    Type.Object({
      code: numberOrNull,
      message: textOrNull,
      solution: textOrNull,
      entity: textOrNull,
    }),
  ),
})

const summary = {
  id: Uuid,
  account_id: Uuid,
  meta_flow_id: Type.Union([Type.String(), Type.Null()], {
    description: 'ID on the platform. `null` until the flow is saved there.',
  }),
  name: Type.String(),
  status: Type.String({ enum: [...STATUSES] }),
  categories: Type.Array(Type.String()),
  json_version: textOrNull,
  data_api_version: textOrNull,
  endpoint_mode: Type.String({ enum: [...ENDPOINT_MODES] }),
  endpoint_config: Type.Unknown({
    description:
      'Depends on the mode: `null`; the rules as sent; or `url`, `headers` with hidden ' +
      'values, and `has_secret`.',
  }),
  validation_errors: Type.Array(ValidationError),
  preview_url: textOrNull,
  preview_expires_at: timeOrNull,
  has_local_changes: Type.Boolean({
    description: 'Whether there are changes that are not saved to the platform.',
  }),
  health: Health,
  response_count: Type.Integer(),
  synced_at: timeOrNull,
  created_by: Type.Union([Uuid, Type.Null()]),
  created_at: Time,
  updated_at: Time,
}

/** A Flow in a list. */
export const FlowSummary = Type.Object(summary, { title: 'FlowSummary' })
export type FlowSummary = Static<typeof FlowSummary>

/** A Flow. */
export const FlowView = Type.Object(
  {
    ...summary,
    json_definition: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'Flow JSON of the flow.',
    }),
  },
  { title: 'Flow' },
)
export type FlowView = Static<typeof FlowView>

/** A Flow after a change of it, with the secret of a new endpoint. */
export const ChangedFlowView = Type.Object(
  {
    ...FlowView.properties,
    endpoint_config: Type.Unknown({
      ...SHOWN_ONCE,
      description: 'As in `Flow`. With a new endpoint also its signing `secret`.',
    }),
  },
  { title: 'ChangedFlow' },
)

const Definition = objectOrText({
  description:
    'Flow JSON, `{version, screens[]}`, as an object or as JSON text, up to 10 MB. Invalid ' +
    'JSON fails with 400; `errors` has path and line of each problem.',
})

const WHERE =
  'For `rules`: list of `{action, screen, when, next_screen, data, set_attributes}`; the ' +
  'first matching rule responds. For `http`: `{url, headers}`, where a header value of `***` keeps ' +
  'the stored one unless `url` changes to another host; the response to setting ' +
  'it contains the signing `secret`, which is shown only once.'

const optional = {
  json_definition: Type.Optional(Definition),
  endpoint_mode: Type.Optional(literals(ENDPOINT_MODES)),
  endpoint_config: Type.Optional(objectOrList({ description: WHERE })),
}

const Name = nameText(200)
const Categories = Type.Array(literals(CATEGORIES), {
  minItems: 1,
  maxItems: CATEGORIES.length,
  uniqueItems: true,
})

const EXAMPLE_DEFINITION = {
  version: '7.3',
  screens: [
    {
      id: 'FEEDBACK',
      title: 'How was it?',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextInput', name: 'words', label: 'In your words', required: true },
          {
            type: 'Footer',
            label: 'Send',
            'on-click-action': { name: 'complete', payload: { words: '${form.words}' } },
          },
        ],
      },
    },
  ],
}

/** Body to create a Flow. */
export const NewFlow = Type.Object(
  { account_id: Uuid, name: Name, categories: Categories, ...optional },
  {
    title: 'FlowInput',
    examples: [
      {
        account_id: '019a52b0-1c00-7000-8000-000000000003',
        name: 'Feedback',
        categories: ['SURVEY'],
        json_definition: EXAMPLE_DEFINITION,
      },
    ],
  },
)
export type NewFlow = Static<typeof NewFlow>

/** Body to update a Flow. */
export const FlowChanges = Type.Object(
  { name: Type.Optional(Name), categories: Type.Optional(Categories), ...optional },
  { title: 'FlowChanges', minProperties: 1, examples: [{ name: 'Feedback after a visit' }] },
)
export type FlowChanges = Static<typeof FlowChanges>

/** Body to duplicate a Flow. */
export const FlowCopy = Type.Object(
  { name: Type.Optional(Name) },
  { title: 'FlowCopy', examples: [{ name: 'Feedback in spring' }] },
)
export type FlowCopy = Static<typeof FlowCopy>

/** Body to validate a Flow JSON. */
export const FlowToValidate = Type.Object(
  { json_definition: Definition },
  { title: 'FlowToValidate', examples: [{ json_definition: EXAMPLE_DEFINITION }] },
)

/** Result of validating a Flow JSON. */
export const FlowVerdict = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(
      Type.Object({
        path: Type.String(),
        message: Type.String(),
        line: Type.Integer({ description: 'Line of the JSON text, starting at 1.' }),
      }),
    ),
  },
  { title: 'FlowVerdict' },
)
export type FlowVerdict = Static<typeof FlowVerdict>

/** Result of saving a Flow to the platform. */
export const SavedFlow = Type.Object(
  { meta_flow_id: Type.String(), validation_errors: Type.Array(ValidationError), flow: FlowView },
  { title: 'SavedFlow' },
)
export type SavedFlow = Static<typeof SavedFlow>

/** Preview link of a Flow. */
export const FlowPreview = Type.Object(
  { preview_url: Type.String(), expires_at: timeOrNull },
  { title: 'FlowPreviewLink' },
)
export type FlowPreview = Static<typeof FlowPreview>

/** Body to sync Flows. */
export const FlowSync = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Account to sync. Defaults to all active accounts.',
      }),
    ),
  },
  { title: 'FlowSync', examples: [{}] },
)

export const FlowSyncResult = Type.Object(
  {
    synced: Type.Integer({ description: 'Number of flows on the platform.' }),
    new: Type.Integer(),
    updated: Type.Integer(),
    removed: Type.Integer({
      description:
        'Flows no longer on the platform. Drafts become local drafts again; others become ' +
        'deprecated.',
    }),
    accounts: Type.Array(Type.Object({ account_id: Uuid, error: textOrNull }), {
      description: 'One entry per business account.',
    }),
  },
  { title: 'FlowSyncResult' },
)
export type FlowSyncResult = Static<typeof FlowSyncResult>

export const FlowResponseView = Type.Object(
  {
    id: Uuid,
    contact_id: Uuid,
    contact: ListedContact,
    message_id: Uuid,
    flow_token: textOrNull,
    data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    completed_at: Time,
  },
  { title: 'FlowResponse' },
)
export type FlowResponseView = Static<typeof FlowResponseView>

/** A data exchange request, without the entered data. */
export const FlowExchangeView = Type.Object(
  {
    at: Time,
    action: Type.String(),
    screen: textOrNull,
    outcome: Type.String({ enum: ['answered', 'completed', 'acknowledged', 'error', 'expired'] }),
    duration_ms: Type.Integer(),
    error: textOrNull,
  },
  { title: 'FlowExchange' },
)
export type FlowExchangeView = Static<typeof FlowExchangeView>

/** An encrypted data exchange request. */
export const EncryptedRequest: TSchema = Type.Object(
  {
    encrypted_flow_data: Type.String(),
    encrypted_aes_key: Type.String(),
    initial_vector: Type.String(),
  },
  { title: 'EncryptedFlowRequest', description: 'Each in base64.' },
)

/** A rule of an endpoint: conditions and answer. */
export interface EndpointRule {
  action: string | null
  screen: string | null
  when: { field: string; op: string; value: unknown }[]
  next_screen: string
  data: Record<string, unknown>
  set_attributes: Record<string, unknown>
}
