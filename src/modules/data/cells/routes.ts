import { Elysia } from 'elysia'

import { readBytes } from '../../../http/body'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { CELL_HEADERS, MAX_FACTS_BYTES } from '../../../infra/cells/signature'
import { answerForCell } from '../../channel/flows/endpoint/answer'
import { EndpointAnswer } from '../../channel/flows/endpoint/pass-on'
import { DeliveryAnswer } from '../../channel/inbound/cells/facts'
import { receiveFromCell } from '../../channel/inbound/cells/receive'
import type { Journal } from '../../channel/inbound/journal/staging-queue'

/** Largest body of a data exchange of a Flow, bytes. */
const MAX_EXCHANGE_BYTES = 1_024 * 1_024 + MAX_FACTS_BYTES

const SIGNED = 'authenticates with a signature of another server of `CELLS`'

/** The headers of a request of another cell. */
const PARAMETERS = Object.values(CELL_HEADERS).map((name) => ({
  name,
  in: 'header' as const,
  required: true,
  schema: { type: 'string' as const },
}))

/** What the other cells call. */
export const cellRoutes = (http: Http, journal: Journal) =>
  new Elysia({ prefix: '/api/cells', tags: ['System'] })
    .use(guard(http))
    .post(
      '/deliveries',
      async ({ request }) => {
        const { settings, deadlines } = http
        const limit = settings.webhookBodyLimitBytes + MAX_FACTS_BYTES
        const bytes = await readBytes(request, limit, deadlines.limits.bodyMs)
        return ok(await receiveFromCell(http, journal, { bytes, headers: request.headers }))
      },
      {
        parse: 'none',
        raw: SIGNED,
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
            'HMAC-SHA256 of timestamp and path, each followed by a line feed, and the body, with ' +
            '`CELL_SECRET`. The body is the facts in JSON, a line feed, and the bytes of the delivery.',
          parameters: PARAMETERS,
        },
      },
    )
    .post(
      '/flow-exchanges',
      async ({ request }) => {
        const bytes = await readBytes(request, MAX_EXCHANGE_BYTES, http.deadlines.limits.bodyMs)
        return ok(await answerForCell(http, { bytes, headers: request.headers }))
      },
      {
        parse: 'none',
        raw: SIGNED,
        refuses: [
          '400 invalid_input',
          '400 malformed_json',
          '401 signature_missing',
          '401 signature_mismatch',
          '401 signature_expired',
          '404 not_found',
          '503 organization_moving',
        ],
        response: { 200: Ok(EndpointAnswer) },
        detail: {
          operationId: 'receiveCellFlowExchange',
          summary: 'Answer a Flow data exchange of another server',
          description:
            'Called by the other servers of `CELLS` with the body of a data exchange for a phone number ' +
            'that moved here. Returns the status and the encrypted body of the answer. Signed as ' +
            'deliveries of other servers are, and not passed on again.',
          parameters: PARAMETERS,
        },
      },
    )
