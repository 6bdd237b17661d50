import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { patternText } from '../../../lib/fields'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { PageOf, pageQuery } from '../../../http/pagination'
import { FilePart } from '../../../http/multipart'
import { NewPrices, PricesImported, PriceView } from './model'
import { importPrices, listPrices } from './service'

const PricesQuery = t.Object({
  ...pageQuery(50),
  country: t.Optional(
    patternText('^([A-Za-z]{2}|\\*)$', 'must be a country code such as BR, or an asterisk', {
      description: 'ISO 3166-1 country code, or `*`.',
    }),
  ),
  category: t.Optional(t.String({ minLength: 1, maxLength: 50 })),
  currency: t.Optional(t.String({ pattern: '^[A-Za-z]{3}$' })),
  at: t.Optional(
    t.String({ format: 'date-time', description: 'Only prices in effect at this time.' }),
  ),
})

const Rows = Type.Object(
  {
    ...NewPrices.properties,
    file: Type.Optional(
      FilePart(
        'CSV file with these column names in its header, or the platform’s rate card as ' +
          'published. Alternative to `rows`.',
      ),
    ),
  },
  { title: 'PricesInput', examples: NewPrices.examples as unknown[] },
)

/** Routes for platform prices. */
export const priceRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/prices', tags: ['Prices'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50, at, ...query } }) =>
        ok(
          listPrices(ctx, {
            ...query,
            page,
            limit,
            atMs: at === undefined ? undefined : Date.parse(at),
          }),
        ),
      {
        can: 'campaigns:read',
        query: PricesQuery,
        response: { 200: Ok(PageOf(PriceView)) },
        detail: {
          operationId: 'listPrices',
          summary: 'List prices',
          description:
            'Costs are calculated from these prices. Without a matching price, the cost is `null`, ' +
            'never 0.',
        },
      },
    )
    .post(
      '/import',
      async ({ ctx, body, status }) => status(201, ok(await importPrices(ctx, body))),
      {
        can: {
          permission: 'super-admin',
          bulk: true,
          upload: { takesJson: true, maxBytes: 4 * 1024 * 1024 },
        },
        refuses: [
          '400 empty_file',
          '400 bad_encoding',
          '400 malformed_csv',
          '400 too_many_columns',
          '400 row_too_long',
          '400 cell_too_long',
          '503 files_busy',
        ],
        body: Rows,
        response: { 201: Ok(PricesImported) },
        detail: {
          operationId: 'importPrices',
          summary: 'Import prices',
          description:
            'Imports prices for the whole installation, as JSON or as a CSV file of up to 10,000 ' +
            'lines. Replaces existing prices with the same date. A message is charged with the ' +
            'latest price in effect when it is sent. The rate card of the platform is read as it ' +
            'is published: a line per market, a column per category. If it states no prices of ' +
            'service messages, those since October 2026 have the utility rate. Since then 1,000 of ' +
            'them are free per number and month; `free_per_month` states another number. With `dry_run`, nothing ' +
            'is changed: the answer counts what would be.',
        },
      },
    )
