import { Type, type Static } from '@sinclair/typebox'

import { checkedText, freeObject, patternText } from '../../../lib/fields'
import { isCalendarDate } from '../../../lib/instant'

const Text = Type.String()
const Time = Type.String({ format: 'date-time' })

/** A normalized category. The platform adds categories, so any word is accepted. */
export const CATEGORY = /^[A-Z][A-Z_]{2,49}$/

/** A price in API responses. */
export const PriceView = Type.Object(
  {
    country: Type.String({
      description:
        'ISO 3166-1 code of the recipient’s country. `*` = all countries without an entry of ' +
        'their own.',
    }),
    category: Type.String({
      pattern: CATEGORY.source,
      examples: ['MARKETING', 'UTILITY', 'AUTHENTICATION', 'SERVICE'],
      description:
        'A category of the platform: `MARKETING`, `UTILITY`, `AUTHENTICATION`, or `SERVICE` for ' +
        'messages other than templates. Rate cards can contain others, such as ' +
        '`AUTHENTICATION_INTERNATIONAL`.',
    }),
    kind: Type.String({ enum: ['template', 'service'] }),
    price: Type.String({ description: 'Price of one message, as a decimal number.' }),
    currency: Text,
    inside_window: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether the price applies inside the 24-hour window (`true`), outside (`false`), or ' +
        'always (`null`).',
    }),
    free_per_month: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'For service messages: number of free messages per phone number and month, in the order ' +
        'of delivery. `null` = the row says nothing. The newest number of any row applies, else ' +
        'the rule of WhatsApp: 1,000 since October 2026.',
    }),
    effective_from: Time,
    source: Text,
  },
  { title: 'Price' },
)
export type PriceView = Static<typeof PriceView>

/**
 * A row of an import. Rows are validated one by one, so that an invalid one does not reject the
 * others.
 */
const Row = Type.Object({
  country: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'ISO 3166-1 codes, several separated by `|` (a market), or `*`.',
    }),
  ),
  category: Type.Optional(Text),
  kind: Type.Optional(
    Type.String({
      description: '`service` for the category SERVICE, `template` for all others (defaults).',
    }),
  ),
  price: Type.Optional(Type.Union([Text, Type.Number()])),
  currency: Type.Optional(Text),
  inside_window: Type.Optional(Type.Union([Type.Boolean(), Text, Type.Null()])),
  free_per_month: Type.Optional(Type.Union([Type.Integer(), Text, Type.Null()])),
  effective_from: Type.Optional(Type.String({ description: 'Date (midnight UTC) or time.' })),
  source: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
})

const Rows = Type.Unsafe<Static<typeof Row>[]>(
  Type.Array(
    freeObject({
      description:
        '`country` (ISO 3166-1 codes, several separated by `|`, or `*`), `category`, `kind` ' +
        '(`service` for SERVICE, else `template`; the default), `price`, `currency`, ' +
        '`inside_window` (`true`, `false` or empty), `free_per_month`, `effective_from` (date ' +
        'at midnight UTC, or time), `source`.',
    }),
    { maxItems: 10_000, description: 'As JSON text.' },
  ),
)

/** Price rows as JSON. */
export const NewPrices = Type.Object(
  {
    rows: Type.Optional(Rows),
    effective_from: Type.Optional(
      checkedText('calendar-date', isCalendarDate, 'must be a date such as 2026-10-01', {
        maxLength: 10,
        description:
          'Date of the prices of a rate card (midnight UTC). By default the date in the lines above ' +
          'its table.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Unsafe<boolean | 'true' | 'false'>(
        Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
          description: 'Whether to read the prices only and change nothing.',
        }),
      ),
    ),
    free_per_month: Type.Optional(
      patternText('^[0-9]{1,9}$', 'must be a whole number', {
        description: 'Free service messages per phone number and month of a rate card.',
      }),
    ),
  },
  {
    title: 'PricesInput',
    examples: [
      {
        rows: [
          {
            country: 'DE',
            category: 'MARKETING',
            price: '0.1131',
            currency: 'EUR',
            effective_from: '2026-10-01',
            source: 'October rate card',
          },
          {
            country: 'DE',
            category: 'SERVICE',
            price: '0.0456',
            currency: 'EUR',
            free_per_month: 1_000,
            effective_from: '2026-10-01',
            source: 'October rate card',
          },
        ],
      },
    ],
  },
)
export type NewPrices = Static<typeof NewPrices>

/** The result of a price import. */
export const PricesImported = Type.Object(
  {
    imported: Type.Integer({ description: 'Number of new rows.' }),
    replaced: Type.Integer({
      description: 'Number of replaced and unchanged rows.',
    }),
    invalid: Type.Array(
      Type.Object({
        row: Type.Integer({
          description: 'Row number, starting at 1; the header of a file is not counted.',
        }),
        reason: Text,
      }),
    ),
    sample: Type.Optional(
      Type.Array(PriceView, {
        description:
          'The first 20 prices that were read. Present with `dry_run`, which changes nothing.',
      }),
    ),
  },
  { title: 'PricesImported' },
)
export type PricesImported = Static<typeof PricesImported>
