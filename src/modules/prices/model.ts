import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../lib/fields'

const Text = Type.String()
const Time = Type.String({ format: 'date-time' })

/** A price as the API answers it. */
export const PriceView = Type.Object(
  {
    country: Type.String({
      description:
        'ISO 3166 code of the recipient’s country; `*` stands for every country without a row of its own.',
    }),
    category: Type.String({
      description: 'MARKETING, UTILITY, AUTHENTICATION, …; SERVICE of what is no template.',
    }),
    kind: Type.String({ enum: ['template', 'service'] }),
    price: Type.String({ description: 'Of one message, as a decimal number.' }),
    currency: Text,
    inside_window: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether it applies inside of open windows, outside of them (false), or always (null).',
    }),
    free_per_month: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Of service messages: so many of a number cost nothing in a month.',
    }),
    effective_from: Time,
    source: Text,
  },
  { title: 'Price' },
)
export type PriceView = Static<typeof PriceView>

/** What a row says; looked at one by one, so that one bad row harms no other. */
const Row = Type.Object({
  country: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'ISO 3166 codes, several with `|` between them (a market), or `*`.',
    }),
  ),
  category: Type.Optional(Text),
  kind: Type.Optional(Type.String({ description: 'template or service. Default template.' })),
  price: Type.Optional(Type.Union([Text, Type.Number()])),
  currency: Type.Optional(Text),
  inside_window: Type.Optional(Type.Union([Type.Boolean(), Text, Type.Null()])),
  free_per_month: Type.Optional(Type.Union([Type.Integer(), Text, Type.Null()])),
  effective_from: Type.Optional(
    Type.String({ description: 'A date, at midnight UTC, or a time.' }),
  ),
  source: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
})

const Rows = Type.Unsafe<Static<typeof Row>[]>(
  Type.Array(
    freeObject({
      description:
        '`country` (ISO 3166 codes, several with `|` between them, or `*`), `category`, `kind` (template or service, default template), `price`, `currency`, `inside_window` (true, false or nothing), `free_per_month`, `effective_from` (a date, at midnight UTC, or a time), `source`.',
    }),
    { maxItems: 10_000, description: 'As JSON.' },
  ),
)

/** Rows of prices, as JSON or as a file. */
export const NewPrices = Type.Object(
  {
    rows: Type.Optional(Rows),
  },
  {
    title: 'NewPrices',
    examples: [
      {
        rows: [
          {
            country: 'DE',
            category: 'MARKETING',
            price: '0.1131',
            currency: 'EUR',
            effective_from: '2026-07-01',
            source: 'rate card of July',
          },
          {
            country: '*',
            category: 'UTILITY',
            price: '0',
            currency: 'EUR',
            inside_window: true,
            effective_from: '2026-07-01',
          },
        ],
      },
    ],
  },
)
export type NewPrices = Static<typeof NewPrices>

/** What an import of prices came to. */
export const PricesImported = Type.Object(
  {
    imported: Type.Integer({ description: 'Rows that are new.' }),
    replaced: Type.Integer({
      description: 'Rows whose price was another one, or that were there as they are.',
    }),
    invalid: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'From 1; of a file without its header.' }),
        reason: Text,
      }),
    ),
  },
  { title: 'PricesImported' },
)
export type PricesImported = Static<typeof PricesImported>
