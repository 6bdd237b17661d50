import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { formedText } from '../../lib/fields'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { PageOf, pageQuery } from '../../http/pagination'
import { FilePart } from '../../http/multipart'
import { NewPrices, PricesImported, PriceView } from './model'
import { importPrices, listPrices } from './service'

const PricesQuery = t.Object({
  ...pageQuery(50),
  country: t.Optional(
    formedText('^([A-Za-z]{2}|\\*)$', 'must be a country such as BR, or an asterisk', {
      description: 'ISO 3166 code, or `*`.',
    }),
  ),
  category: t.Optional(t.String({ minLength: 1, maxLength: 50 })),
  currency: t.Optional(t.String({ pattern: '^[A-Za-z]{3}$' })),
  at: t.Optional(t.String({ format: 'date-time', description: 'Only the rows that apply then.' })),
})

const Rows = Type.Object(
  {
    ...NewPrices.properties,
    file: Type.Optional(
      FilePart('A CSV file with the same names in its header, instead of `rows`.'),
    ),
  },
  { title: 'NewPrices', examples: NewPrices.examples as unknown[] },
)

/** What the platform charges. */
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
          summary: 'Prices',
          description:
            'Costs are estimated and reckoned from these rows; without one a cost is null, never 0.',
        },
      },
    )
    .post(
      '/import',
      async ({ ctx, body, status }) => status(201, ok(await importPrices(ctx, body))),
      {
        superAdminUpload: { takesJson: true, isBulk: true, maxBytes: 4 * 1024 * 1024 },
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
            'Of the whole installation, as JSON or as a CSV file. A file has at most 10,000 lines. Rows of a date that are there already are replaced; the row that began last before a message was sent applies to it.',
        },
      },
    )
