import { Type, type Static } from '@sinclair/typebox'
import { freeObject } from '../../../lib/fields'
import { Uuid, Text, textOrNull, wholeOrNull } from './model'

const Values = (description: string) => Type.Optional(freeObject({ description }))

const Cost = Type.Union([Type.Object({ amount: Text, currency: Text }), Type.Null()], {
  description: 'Price from the price list. `null` if unknown.',
})

/** Values for a preview of a template. */
export const TemplatePreviewInput = Type.Object(
  {
    template_params: Values('Values of the body variables, by name or number.'),
    header_params: Values('Value of the header variable, or a location.'),
    button_params: Values('Button values by zero-based index.'),
    flow_params: Values('`flow_token` and `data` for the flow of its button.'),
    offer_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    header_media_id: Type.Optional(Uuid),
    cards: Type.Optional(
      Type.Array(freeObject(), {
        maxItems: 10,
        description:
          'For each card, `template_params`, `header_params`, `button_params` and ' +
          '`header_media_id`.',
      }),
    ),
    contact_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Recipient for whom the cost is estimated.' }),
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
    missing: Type.Array(Text, { description: 'Required values that are missing.' }),
    problems: Type.Array(Type.Object({ path: Text, message: Text }), {
      description: 'Values that are invalid.',
    }),
    platform_payload: Type.Record(Text, Type.Unknown(), {
      description:
        'Template object that would be sent to the platform, with file IDs of this server.',
    }),
    estimated_cost: Cost,
  },
  { title: 'TemplatePreview' },
)

export type TemplatePreview = Static<typeof TemplatePreview>

/** Counts and cost of the messages sent with a template. */
export const TemplateStats = Type.Object(
  {
    sent: Type.Integer({
      description:
        'Messages accepted by the platform, including delivered, read, and those that failed ' +
        'afterwards.',
    }),
    delivered: Type.Integer({ description: 'Recipients whose message was delivered or read.' }),
    read: Type.Integer(),
    failed: Type.Integer(),
    clicks: Type.Array(Type.Object({ button: Text, count: Type.Integer() }), {
      description: 'Taps on quick-reply buttons.',
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
