import { Elysia } from 'elysia'

import { readBytes } from '../../../../http/body'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { CELL_HEADERS, MAX_FACTS_BYTES } from '../../../../infra/cells/signature'
import { ARCHIVE_FAULTS } from '../../organization-import/archive/fault'
import { MoveAnswer, PIECE_BYTES } from '../protocol'
import { receiveMove } from './receive'

/** What the cell of an organization that moves here calls. */
export const moveTargetRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/cells', tags: ['System'] }).use(guard(http)).post(
    '/moves',
    async ({ request }) => {
      const bytes = await readBytes(
        request,
        PIECE_BYTES + MAX_FACTS_BYTES,
        http.deadlines.limits.bodyMs,
      )
      return ok(await receiveMove(http, { bytes, headers: request.headers }))
    },
    {
      parse: 'none',
      raw: 'authenticates with a signature of another server of `CELLS`',
      refuses: [
        '401 signature_missing',
        '401 signature_mismatch',
        '401 signature_expired',
        ...ARCHIVE_FAULTS,
        '409 organization_exists',
        '409 import_running',
        '409 disk_full',
      ],
      response: { 200: Ok(MoveAnswer) },
      detail: {
        operationId: 'receiveCellMove',
        summary: 'Take a step of a move from another server',
        description:
          'Called by the other servers of `CELLS` while an organization moves here. The facts name ' +
          'the move, the organization and the action; the body is a piece of the archive. All ' +
          'actions can be repeated. Signed as deliveries of other servers are.',
        parameters: Object.values(CELL_HEADERS).map((name) => ({
          name,
          in: 'header' as const,
          required: true,
          schema: { type: 'string' as const },
        })),
      },
    },
  )
