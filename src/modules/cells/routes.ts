import { Elysia } from 'elysia'

import { readBytes } from '../../http/body'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { CELL_HEADERS } from '../../infra/cells/signature'
import { DeliveryAnswer } from '../inbound/cells/facts'
import { receiveFromCell } from '../inbound/cells/receive'
import type { Journal } from '../inbound/journal/staging-queue'

/** What the other cells call. */
export const cellRoutes = (http: Http, journal: Journal) =>
  new Elysia({ prefix: '/api/cells', tags: ['System'] }).use(guard(http)).post(
    '/deliveries',
    async ({ request }) => {
      const { settings, deadlines } = http
      const limit = settings.webhookBodyLimitBytes
      const bytes = await readBytes(request, limit, deadlines.limits.bodyMs)
      return ok(await receiveFromCell(http, journal, { bytes, headers: request.headers }))
    },
    {
      parse: 'none',
      raw: 'authenticates with a signature of another server of `CELLS`',
      refuses: [
        '400 already_passed_on',
        '400 invalid_input',
        '401 signature_missing',
        '401 signature_mismatch',
        '401 signature_expired',
        '503 unavailable',
      ],
      response: { 200: Ok(DeliveryAnswer) },
      detail: {
        operationId: 'receiveCellDelivery',
        summary: 'Receive a webhook from another server',
        description:
          'Called by the other servers of `CELLS` with a delivery of the platform for phone numbers ' +
          'or business accounts that they do not have. Returns 200 once the delivery is stored ' +
          'durably. A delivery is passed on once. `X-Cell-Signature` is `sha256=` and the ' +
          'HMAC-SHA256 of timestamp, path and facts, each followed by a line feed, and the body, ' +
          'with `CELL_SECRET`.',
        parameters: Object.values(CELL_HEADERS).map((name) => ({
          name,
          in: 'header' as const,
          required: true,
          schema: { type: 'string' as const },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'object' as const } } },
        },
      },
    },
  )
