import { Type, type Static } from '@sinclair/typebox'

import { patternText, freeObject, nameText, objectOfOptions } from '../../../../lib/fields'
import { PLAIN_FIELDS } from '../../../inbox/contacts/plain-fields'
import { SegmentFilter } from '../../../inbox/contacts/segment-filter/schema'
import { DAYS, Params, Text, Uuid, textOrNull, timeOrNull, uuidOrNull } from '../model'

const AudienceInput = objectOfOptions(
  {
    segment_id: Type.Optional(uuidOrNull),
    filter: Type.Optional(Type.Union([SegmentFilter, Type.Null()])),
    tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    tags_mode: Type.Optional(
      Type.Union([Type.Literal('any'), Type.Literal('all')], { description: 'Defaults to `any`.' }),
    ),
    exclude_tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50 })),
    exclude_contacted_days: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), Type.Null()], {
        description: 'Excludes recipients of any campaign in this many past days.',
      }),
    ),
  },
  'must be an object with the ID of a segment, a filter, or IDs of tags, tags_mode `any` or `all`, and ' +
    'exclude_contacted_days from 1 to 365',
)

const hour = (says: string) =>
  patternText('^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', says, { examples: ['09:00'] })

/** The hours in which a campaign sends. */
const SendWindowInput = Type.Object(
  {
    from: hour('must be a time such as 09:00'),
    to: hour('must be a time such as 18:00'),
    days: Type.Array(Type.Union(DAYS.map((day) => Type.Literal(day))), {
      minItems: 1,
      maxItems: 7,
      description: 'Days on which the send window opens.',
    }),
  },
  {
    description:
      "Hours in which messages are sent, in the campaign's time zone. May span midnight. " +
      'Outside them the campaign waits without being paused.',
  },
)

const Money = Type.Object({
  amount: patternText('^\\d{1,9}(\\.\\d{1,6})?$', 'must be a decimal number such as 10.50', {
    examples: ['10.50'],
  }),
  currency: patternText('^[A-Z]{3}$', 'must be a currency code of three uppercase letters', {
    examples: ['USD'],
  }),
})

const Mapping = freeObject({
  description:
    `Source of each variable: a contact field (${Object.keys(PLAIN_FIELDS)
      .map((field) => `\`${field}\``)
      .join(', ')}, ` +
    '`phone_number`, `username`, `user_id`, `country`, `attributes.<key>`, `metadata.<key>`), ' +
    '`{"value": …}`, or `{"field": …, "default": …}`. Body variables are keyed by name or number, ' +
    'others by `header.1`, `button.0` or `cards.0.1`.',
})

export const FIELDS = {
  name: nameText(255),
  account_id: Uuid,
  template_id: Type.Union([Uuid, Type.Null()], {
    description:
      'A template that is approved or, for a draft, in review. `null` while none is chosen.',
  }),
  variable_mapping: Mapping,
  audience: AudienceInput,
  default_params: freeObject({
    description: 'Default value of each variable, used when a contact has none.',
  }),
  header_media_id: uuidOrNull,
  header_media_url: Type.String({
    maxLength: 2_048,
    description: 'Public URL. The file is downloaded and stored immediately.',
  }),
  scheduled_at: timeOrNull,
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['Europe/Berlin'],
    description: "IANA time zone. Defaults to the organization's.",
  }),
  send_window: Type.Union([SendWindowInput, Type.Null()]),
  rate_limit: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()]),
  budget: Type.Union([Money, Type.Null()], {
    description: 'Maximum cost. Sending stops before it is exceeded.',
  }),
  error_threshold: Type.Number({
    minimum: 0.01,
    maximum: 1,
    description:
      'Share of the last 100 messages that may fail before the campaign pauses, 0 to 1. ' +
      'Defaults to 0.1.',
  }),
}

const example = {
  name: 'Spring offer',
  account_id: '0192f7a0-0000-7000-8000-000000000002',
  template_id: '0192f7a0-0000-7000-8000-000000000009',
  variable_mapping: { '1': { field: 'name', default: 'there' } },
}

/** A new campaign. */
export const NewCampaign = Type.Object(
  {
    ...Type.Partial(Type.Object(FIELDS)).properties,
    name: FIELDS.name,
    account_id: FIELDS.account_id,
  },
  { title: 'CampaignInput', examples: [example] },
)
export type NewCampaign = Static<typeof NewCampaign>

/** Changes to a campaign. Omitted fields stay as they are. */
export const CampaignChanges = Type.Partial(Type.Object(FIELDS), {
  title: 'CampaignChanges',
  minProperties: 1,
  examples: [{ name: 'Spring offer, second part' }],
})
export type CampaignChanges = Static<typeof CampaignChanges>

/** Options for copying a campaign. */
export const CopyInput = Type.Object(
  {
    name: Type.Optional(nameText(255)),
    with_recipients: Type.Optional(
      Type.Boolean({
        description: 'Whether to also copy imported recipients. Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignCopy', examples: [{ name: 'Spring offer (2)' }] },
)

/** The expected result of starting a campaign. */
export const DryRun = Type.Object(
  {
    eligible: Type.Integer(),
    excluded: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of excluded contacts by reason.',
    }),
    missing_params: Type.Array(
      Type.Object({
        recipient_id: uuidOrNull,
        contact_id: uuidOrNull,
        name: textOrNull,
        missing: Type.Array(Text),
      }),
      { description: 'First 100 contacts whose template values are incomplete.' },
    ),
    left_out: Type.Array(
      Type.Object({
        reason: Text,
        recipient_id: uuidOrNull,
        contact_id: uuidOrNull,
        name: textOrNull,
      }),
      { description: 'First 20 excluded contacts of each reason.' },
    ),
    by_country: Type.Array(
      Type.Object({
        country: textOrNull,
        count: Type.Integer(),
        unit_price: Type.Union([Text, Type.Null()], {
          description: 'Price of one message outside the 24-hour window.',
        }),
        free_count: Type.Integer({
          description: 'Recipients to whom messages are free, for 72 hours after an ad click.',
        }),
        inside_window_count: Type.Integer({
          description: 'Other recipients who wrote to the number within the last 24 hours.',
        }),
        inside_window_price: Type.Union([Text, Type.Null()], {
          description: 'Price of one message to these recipients.',
        }),
        cost: textOrNull,
      }),
      { description: 'Country of the phone number, or the country prefix of the user ID.' },
    ),
    billable: Type.Integer({
      description:
        'Recipients whose message WhatsApp charges. Since October 2026 these include utility ' +
        'templates inside the 24-hour window.',
    }),
    estimated_cost: Type.Union([Text, Type.Null()], {
      description: '`null` if the price for a country is unknown.',
    }),
    currency: textOrNull,
    price_date: timeOrNull,
    estimated_duration_s: Type.Integer({
      description: 'Does not include pauses and hours outside the send window.',
    }),
    quota: Type.Object({
      tier: textOrNull,
      remaining: Type.Union([Type.Integer(), Type.Null()], {
        description:
          'Number of people the business portfolio can still start conversations with in the ' +
          'current 24 hours. `null` if unlimited or unknown.',
      }),
    }),
    thread_not_ours: Type.Integer({
      description:
        "Recipients whom the platform's agent or another app answers at present. They get the " +
        'message too.',
    }),
    warnings: Type.Array(Text),
    samples: Type.Array(
      Type.Object({
        name: textOrNull,
        header: Type.Unknown(),
        body: textOrNull,
        footer: textOrNull,
        buttons: Type.Array(Type.Unknown()),
        values: Type.Object(
          {
            template_params: Params,
            header_params: Params,
            button_params: Params,
            header_media_id: uuidOrNull,
          },
          { description: 'Values of the template, as a test message takes them.' },
        ),
      }),
      { description: 'Three sample messages as recipients would see them.' },
    ),
  },
  { title: 'CampaignDryRun' },
)
export type DryRun = Static<typeof DryRun>
