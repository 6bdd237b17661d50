import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const Text = Type.String()
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Text, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const wholeOrNull = Type.Union([Type.Integer(), Type.Null()])
const uuidOrNull = Type.Union([Uuid, Type.Null()])

/** Categories of templates. */
export const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const

/**
 * The words the platform has for the state of a template; it may come up with others, which are
 * kept.
 */
const STATUSES = [
  'DRAFT',
  'PENDING',
  'APPROVED',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'FLAGGED',
  'REINSTATED',
  'LOCKED',
  'LIMIT_EXCEEDED',
  'PENDING_DELETION',
  'DELETED',
  'ARCHIVED',
] as const

const COMPONENTS =
  'Types in any case. HEADER (`format` TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION; text of 60 characters with one variable; a file needs a sample before it is published), BODY (1,024 characters), FOOTER (60), BUTTONS (10 at most), CAROUSEL (2 to 10 cards of the same make), LIMITED_TIME_OFFER (marketing only). Variables are `{{1}}`, `{{2}}` without gaps, or `{{lower_case_name}}`, each with an example, here or in `sample_values`. Examples stand as the platform writes them: `header_text`, `body_text`, `body_text_named_params`, `header_handle`, `example` of a button.'

const Sample = Type.Object(
  {
    component: Type.String({ enum: ['HEADER', 'BODY', 'BUTTONS'] }),
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description: 'Number of the variable from 1; of a button its place from 0.',
      }),
    ),
    param_name: Type.Optional(
      Type.String({ maxLength: 100, description: 'Name of the variable.' }),
    ),
    card: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 9, description: 'Number of the card, from 0.' }),
    ),
    value: Type.String({ minLength: 1, maxLength: 2_000 }),
  },
  { description: 'An example of a variable that does not stand in the components.' },
)

const Ttl = Type.Integer({
  minimum: 30,
  maximum: 2_592_000,
  description:
    'How long the platform tries to deliver; authentication 30 to 900, utility 30 to 43,200, marketing 43,200 to 2,592,000.',
})

const Components = Type.Array(freeObject(), { minItems: 1, maxItems: 10, description: COMPONENTS })
const Samples = Type.Array(Sample, { maxItems: 200 })
const Category = Type.String({ description: `One of ${CATEGORIES.join(', ')}, in any case.` })
const DisplayName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'What people here call it; by default the name as it was written.',
})

/** A new template. */
export const NewTemplate = Type.Object(
  {
    account_id: Type.String({
      format: 'uuid',
      description: 'A number of the business account it is for.',
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 1_024,
      description:
        'Becomes lower case, spaces and - become _; then letters, digits and _ are left, at most 512.',
    }),
    language: Type.String({ maxLength: 20, description: 'Such as `en`, `fil` or `pt_BR`.' }),
    category: Category,
    components: Components,
    sample_values: Type.Optional(Samples),
    parameter_format: Type.Optional(
      Type.String({
        enum: ['positional', 'named'],
        description: 'By default as the texts are written.',
      }),
    ),
    display_name: Type.Optional(DisplayName),
    message_send_ttl_seconds: Type.Optional(Type.Union([Ttl, Type.Null()])),
    header_media_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description:
          'A file of ours: the sample of a header with a file, and what is sent unless something else is.',
      }),
    ),
    submit: Type.Optional(
      Type.Boolean({ description: 'Whether it goes to the platform at once. Default false.' }),
    ),
    allow_category_change: Type.Optional(
      Type.Boolean({
        description: 'Whether the platform may put it into another category. Default true.',
      }),
    ),
  },
  {
    title: 'NewTemplate',
    examples: [
      {
        account_id: '019a52b0-1c00-7000-8000-000000000003',
        name: 'order_shipped',
        language: 'en_US',
        category: 'UTILITY',
        components: [
          {
            type: 'BODY',
            text: 'Hello {{name}}, your order {{order_id}} is on its way to you today.',
            example: {
              body_text_named_params: [
                { param_name: 'name', example: 'Ana' },
                { param_name: 'order_id', example: '860198' },
              ],
            },
          },
          { type: 'FOOTER', text: 'Reply STOP to hear no more' },
          {
            type: 'BUTTONS',
            buttons: [
              {
                type: 'URL',
                text: 'Track',
                url: 'https://example.com/t/{{1}}',
                example: ['860198'],
              },
            ],
          },
        ],
      },
    ],
  },
)
export type NewTemplate = Static<typeof NewTemplate>

/** Changes of a template; only what is sent changes. */
export const TemplateChanges = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'As it is: the name cannot be changed.' })),
    language: Type.Optional(
      Type.String({ description: 'As it is: the language cannot be changed.' }),
    ),
    components: Type.Optional(Components),
    sample_values: Type.Optional(Samples),
    category: Type.Optional(
      Type.String({ enum: [...CATEGORIES], description: 'Not of an approved template.' }),
    ),
    display_name: Type.Optional(DisplayName),
    message_send_ttl_seconds: Type.Optional(Type.Union([Ttl, Type.Null()])),
    header_media_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
  },
  {
    title: 'TemplateChanges',
    minProperties: 1,
    examples: [
      { components: [{ type: 'BODY', text: 'Your order is on its way to you. Thank you!' }] },
    ],
  },
)
export type TemplateChanges = Static<typeof TemplateChanges>

/** What a copy of a template differs in. */
export const TemplateCopy = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 1_024 }),
    language: Type.Optional(Type.String({ maxLength: 20 })),
    account_id: Type.Optional(Uuid),
  },
  { title: 'TemplateCopy', examples: [{ name: 'order_shipped_again' }] },
)
export type TemplateCopy = Static<typeof TemplateCopy>

const Variable = Type.Object({
  component: Type.String({ enum: ['HEADER', 'BODY', 'BUTTONS', 'LIMITED_TIME_OFFER'] }),
  key: Type.String({
    description:
      'Name or number of a variable in a text; of anything else what it is: media, location, payload, code, flow, …',
  }),
  index: Type.Union([Type.Integer(), Type.Null()], { description: 'Place of a button, from 0.' }),
  card: Type.Union([Type.Integer(), Type.Null()], { description: 'Number of a card, from 0.' }),
  required: Type.Boolean(),
  example: textOrNull,
})

const SampleView = Type.Object({
  component: Type.String({ enum: ['HEADER', 'BODY', 'BUTTONS', 'LIMITED_TIME_OFFER'] }),
  index: wholeOrNull,
  param_name: textOrNull,
  card: wholeOrNull,
  value: Text,
})

/** A template as the API answers it. */
export const TemplateView = Type.Object(
  {
    id: Uuid,
    account_id: Uuid,
    business_id: Text,
    platform_id: Type.Union([Text, Type.Null()], { description: 'null while it is only here.' }),
    name: Text,
    display_name: Text,
    language: Text,
    category: Type.String({ enum: [...CATEGORIES] }),
    announced_category: Type.Union(
      [
        Type.Object({ category: Type.String({ enum: [...CATEGORIES] }), effective_at: timeOrNull }),
        Type.Null(),
      ],
      {
        description: 'What the platform will make of the category.',
      },
    ),
    status: Type.String({
      description: `One of ${STATUSES.join(', ')}, or another word of the platform's. APPROVED, REINSTATED and FLAGGED can be sent.`,
    }),
    reason: textOrNull,
    recommendation: textOrNull,
    quality: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    parameter_format: Type.String({ enum: ['positional', 'named'] }),
    components: Type.Array(Type.Record(Text, Type.Unknown()), {
      description: 'What people work on; with local changes the platform still has others.',
    }),
    sample_values: Type.Array(SampleView, { description: 'The examples of all variables.' }),
    variables: Type.Array(Variable, { description: 'What a sender fills in, of what is sent.' }),
    message_send_ttl_seconds: wholeOrNull,
    header_media_id: uuidOrNull,
    has_local_changes: Type.Boolean({
      description: 'Whether it was changed here since it was published.',
    }),
    usage: Type.Object({ sent_30d: Type.Integer(), last_sent_at: timeOrNull }),
    synced_at: timeOrNull,
    created_by: uuidOrNull,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Template' },
)
export type TemplateView = Static<typeof TemplateView>

/** What a sync of templates came to. */
export const TemplateSyncResult = Type.Object(
  {
    synced: Type.Integer({ description: 'Templates the platform has.' }),
    new: Type.Integer(),
    updated: Type.Integer(),
    removed: Type.Integer({ description: 'Gone on the platform; kept here as DELETED.' }),
    unchanged: Type.Integer(),
    accounts: Type.Array(Type.Object({ account_id: Uuid, error: textOrNull })),
  },
  { title: 'TemplateSync' },
)
export type TemplateSyncResult = Static<typeof TemplateSyncResult>

/** Whose templates are fetched. */
export const SyncOf = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'One number; else every active one.' }),
    ),
  },
  { title: 'TemplateSyncRequest', examples: [{}] },
)

const Values = (description: string) => Type.Optional(freeObject({ description }))
const Cost = Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()], {
  description: 'From the table of prices; null where nobody knows.',
})

/** What a template is looked at with. */
export const TemplatePreviewInput = Type.Object(
  {
    template_params: Values('Values of the text, by name or number.'),
    header_params: Values('Value of the text of the header, or a place.'),
    button_params: Values('Values of buttons by their place from 0.'),
    flow_params: Values('`flow_token` and `data` of the form behind its button.'),
    offer_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    header_media_id: Type.Optional(Uuid),
    cards: Type.Optional(
      Type.Array(freeObject(), {
        maxItems: 10,
        description:
          'Of each card `template_params`, `header_params`, `button_params`, `header_media_id`.',
      }),
    ),
    contact_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'For whom the cost is estimated.' }),
    ),
  },
  { title: 'TemplatePreviewRequest', examples: [{ template_params: { '1': 'Ana' } }] },
)
export type TemplatePreviewInput = Static<typeof TemplatePreviewInput>

/** A template as the customer would see it. */
export const TemplatePreview = Type.Object(
  {
    header: Type.Union([Text, Type.Record(Text, Type.Unknown()), Type.Null()]),
    body: textOrNull,
    footer: textOrNull,
    buttons: Type.Array(Type.Record(Text, Type.Unknown())),
    cards: Type.Array(Type.Record(Text, Type.Unknown())),
    missing: Type.Array(Text, { description: 'Values that are needed and were not given.' }),
    problems: Type.Array(Type.Object({ path: Text, message: Text }), {
      description: 'Values that do not fit.',
    }),
    platform_payload: Type.Record(Text, Type.Unknown(), {
      description: 'What the platform would be told of the template; files go by our ids.',
    }),
    estimated_cost: Cost,
  },
  { title: 'TemplatePreview' },
)
export type TemplatePreview = Static<typeof TemplatePreview>

/** What became of the messages made with a template. */
export const TemplateStats = Type.Object(
  {
    sent: Type.Integer({ description: 'Taken by the platform, and further.' }),
    delivered: Type.Integer({ description: 'Delivered or read.' }),
    read: Type.Integer(),
    failed: Type.Integer(),
    clicks: Type.Array(Type.Object({ button: Text, count: Type.Integer() }), {
      description: 'Taps on quick replies.',
    }),
    cost: Cost,
  },
  { title: 'TemplateStats' },
)
export type TemplateStats = Static<typeof TemplateStats>

/** A file that was handed to the platform as the sample of a header. */
export const TemplateSample = Type.Object(
  {
    handle: Type.String({ description: 'For `example.header_handle` of a header.' }),
    media_id: Type.String({
      format: 'uuid',
      description: 'For `header_media_id`, or `media_id` of the header of a card.',
    }),
    filename: textOrNull,
    mime_type: textOrNull,
    size_bytes: wholeOrNull,
  },
  { title: 'TemplateSample' },
)
export type TemplateSample = Static<typeof TemplateSample>
