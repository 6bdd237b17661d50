import { Type, type Static } from '@sinclair/typebox'

import { freeObject, oneOfInAnyCase } from '../../../lib/fields'
import { CREATIVE_OPT_OUT } from '../../organization/organizations/model'

export const Uuid = Type.String({ format: 'uuid' })
export const Text = Type.String()
const Time = Type.String({ format: 'date-time' })
export const textOrNull = Type.Union([Text, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
export const wholeOrNull = Type.Union([Type.Integer(), Type.Null()])
const uuidOrNull = Type.Union([Uuid, Type.Null()])

/** Categories of templates. */
export const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const

/** Known statuses of templates. Other statuses of the platform are stored unchanged. */
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
  'Types are case-insensitive. HEADER (`format` TEXT, IMAGE, VIDEO, DOCUMENT or ' +
  'LOCATION; text of up to 60 characters with one variable; a file requires a sample ' +
  'before publishing), BODY (1,024 characters), FOOTER (60), BUTTONS (up to 10), ' +
  'CAROUSEL (2 to 10 cards with the same structure), LIMITED_TIME_OFFER (marketing ' +
  'only). Variables are `{{1}}`, `{{2}}` without gaps, or `{{lower_case_name}}`, each ' +
  "with an example, here or in `sample_values`. Examples use the platform's fields: " +
  '`header_text`, `body_text`, `body_text_named_params`, `header_handle`, `example` of a ' +
  'button.'

const Sample = Type.Object(
  {
    component: oneOfInAnyCase(['HEADER', 'BODY', 'BUTTONS']),
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description: 'Number of the variable, starting at 1. For buttons, the zero-based index.',
      }),
    ),
    param_name: Type.Optional(
      Type.String({ maxLength: 100, description: 'Name of the variable.' }),
    ),
    card: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 9, description: 'Zero-based index of the card.' }),
    ),
    value: Type.String({ minLength: 1, maxLength: 2_000 }),
  },
  { description: 'Example for a variable whose component contains none.' },
)

const Ttl = Type.Integer({
  minimum: 30,
  maximum: 2_592_000,
  description:
    'How long the platform tries to deliver, in seconds: authentication 30 to 900, utility ' +
    '30 to 43,200, marketing 43,200 to 2,592,000.',
})

const MaxPrice = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description:
    'The most that 1,000 delivered messages may cost, in the smallest unit of the currency of the ' +
    'WhatsApp Business account, such as cents. Marketing templates only. It cannot be added to or ' +
    'removed from a template that was published, only changed. Needs the organization setting ' +
    "`template_max_price` and Meta's Max Price Beta Agreement.",
})

const CreativeOptOut = Type.Union([Type.Boolean(), Type.Null()], {
  description:
    `Whether the template is opted out of changes by WhatsApp. ${CREATIVE_OPT_OUT} Marketing templates ` +
    'only. `null` follows `creative_opt_out` of the organization. Takes effect when the template is ' +
    'published.',
})

const Components = Type.Array(freeObject(), { minItems: 1, maxItems: 10, description: COMPONENTS })
const Samples = Type.Array(Sample, { maxItems: 200 })
/** The verb reads it, so that a draft is told everything that is wrong with it at once. */
const Category = Type.String({ description: `One of ${CATEGORIES.join(', ')}. Case-insensitive.` })
const DisplayName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Name shown in this organization. Defaults to the name as entered.',
})

/** The longest name of a template, in characters (platform: template names). */
const MAX_NAME_LENGTH = 512

export const NewTemplate = Type.Object(
  {
    account_id: Type.String({
      format: 'uuid',
      description: "Any phone number of the template's business account.",
    }),
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description:
        'Converted to lowercase with _ for spaces and -; other characters than letters, digits ' +
        'and _ are removed.',
    }),
    language: Type.String({ maxLength: 20, description: 'Such as `en`, `fil` or `pt_BR`.' }),
    category: Category,
    components: Components,
    sample_values: Type.Optional(Samples),
    parameter_format: Type.Optional(
      Type.String({
        description:
          '`positional` or `named`. Defaults to the style of the variables in the texts.',
      }),
    ),
    display_name: Type.Optional(DisplayName),
    message_send_ttl_seconds: Type.Optional(Type.Union([Ttl, Type.Null()])),
    max_price: Type.Optional(Type.Union([MaxPrice, Type.Null()])),
    creative_opt_out: Type.Optional(CreativeOptOut),
    header_media_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description:
          'ID of an uploaded file for the header: the sample for review, and the file that is ' +
          'sent by default.',
      }),
    ),
    submit: Type.Optional(
      Type.Boolean({
        description:
          'Whether to submit the template to the platform immediately. Defaults to `false`.',
      }),
    ),
    allow_category_change: Type.Optional(
      Type.Boolean({
        deprecated: true,
        description: 'Ignored. The platform always decides the category.',
      }),
    ),
  },
  {
    title: 'TemplateInput',
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
          },
          { type: 'FOOTER', text: 'Reply STOP to unsubscribe' },
          {
            type: 'BUTTONS',
            buttons: [{ type: 'URL', text: 'Track', url: 'https://shop.example.com/orders' }],
          },
        ],
        // checkers of documents read an `example` inside of it as a schema
        sample_values: [
          { component: 'BODY', param_name: 'name', value: 'Ana' },
          { component: 'BODY', param_name: 'order_id', value: '860198' },
        ],
      },
    ],
  },
)
export type NewTemplate = Static<typeof NewTemplate>

/** Changes of a template. Omitted fields stay unchanged. */
export const TemplateChanges = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'The current name. It cannot be changed.' })),
    language: Type.Optional(
      Type.String({ description: 'The current language. It cannot be changed.' }),
    ),
    components: Type.Optional(Components),
    sample_values: Type.Optional(Samples),
    category: Type.Optional(
      Type.String({
        description: `${Category.description} Cannot be changed for an approved template.`,
      }),
    ),
    display_name: Type.Optional(DisplayName),
    message_send_ttl_seconds: Type.Optional(Type.Union([Ttl, Type.Null()])),
    max_price: Type.Optional(Type.Union([MaxPrice, Type.Null()])),
    creative_opt_out: Type.Optional(CreativeOptOut),
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

/** A template to check before it is submitted. */
export const TemplateCheckInput = Type.Object(
  {
    template_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The template that is changed; its name and language are not checked.',
      }),
    ),
    account_id: Type.Optional(Uuid),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
    language: Type.Optional(Type.String({ maxLength: 20 })),
    category: Category,
    components: Components,
    sample_values: Type.Optional(Samples),
    message_send_ttl_seconds: Type.Optional(Type.Union([Ttl, Type.Null()])),
    header_media_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
  },
  {
    title: 'TemplateCheckInput',
    examples: [{ category: 'UTILITY', components: [{ type: 'BODY', text: 'Thank you, {{1}}' }] }],
  },
)
export type TemplateCheckInput = Static<typeof TemplateCheckInput>

/** What WhatsApp would refuse of a template. */
export const TemplateCheck = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Type.Object({ path: Text, message: Text })),
  },
  { title: 'TemplateCheck' },
)
export type TemplateCheck = Static<typeof TemplateCheck>

/** The differences between a template and its copy. */
export const TemplateCopy = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
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
      'Name or number of a text variable. Otherwise its kind: `media`, `location`, ' +
      '`payload`, `code`, `flow`, ….',
  }),
  index: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Zero-based index of the button.',
  }),
  card: Type.Union([Type.Integer(), Type.Null()], { description: 'Zero-based index of the card.' }),
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

/** A template in responses of the API. */
export const TemplateView = Type.Object(
  {
    id: Uuid,
    account_id: Uuid,
    business_id: Text,
    platform_id: Type.Union([Text, Type.Null()], {
      description: '`null` while the template is not on the platform.',
    }),
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
        description: 'Category announced by the platform.',
      },
    ),
    status: Type.String({
      description:
        `One of ${STATUSES.join(', ')}, or another status of the platform. Templates with ` +
        'APPROVED, REINSTATED and FLAGGED can be sent.',
    }),
    archived_at: Type.Union([Time, Type.Null()], {
      description: 'Since when the template is archived, as far as it is known.',
    }),
    deleted_from_archive_at: Type.Union([Time, Type.Null()], {
      description:
        'When WhatsApp deletes the archived template: 28 days after it was archived. It can be restored ' +
        'until then.',
    }),
    reason: textOrNull,
    recommendation: textOrNull,
    quality: Type.String({ enum: ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] }),
    parameter_format: Type.String({ enum: ['positional', 'named'] }),
    components: Type.Array(Type.Record(Text, Type.Unknown()), {
      description:
        'Components with your local changes. While there are unpublished changes, the platform ' +
        'has others.',
    }),
    sample_values: Type.Array(SampleView, { description: 'Examples of all variables.' }),
    variables: Type.Array(Variable, {
      description: 'Values to fill in when the template is sent.',
    }),
    message_send_ttl_seconds: wholeOrNull,
    max_price: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'The most that 1,000 delivered messages may cost, in the smallest unit of the currency. ' +
        '`null`: the price of the price list. Not known for templates made elsewhere.',
    }),
    creative_opt_out: CreativeOptOut,
    published_creative_opt_out: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'What WhatsApp was told when the template was last published here. `null`: nothing, so it may ' +
        'change the template unless the business account is opted out.',
    }),
    header_media_id: uuidOrNull,
    has_local_changes: Type.Boolean({
      description: 'Whether the template has changes that are not published.',
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

export const TemplateSyncResult = Type.Object(
  {
    synced: Type.Integer({ description: 'Number of templates on the platform.' }),
    new: Type.Integer(),
    updated: Type.Integer(),
    removed: Type.Integer({
      description: 'Templates deleted on the platform. They are kept here with status DELETED.',
    }),
    unchanged: Type.Integer(),
    accounts: Type.Array(Type.Object({ account_id: Uuid, error: textOrNull })),
  },
  { title: 'TemplateSync' },
)
export type TemplateSyncResult = Static<typeof TemplateSyncResult>

/** The accounts whose templates are synced. */
export const SyncOf = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Account to sync. Defaults to all active accounts.',
      }),
    ),
  },
  { title: 'TemplateSyncRequest', examples: [{}] },
)
