import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, pageQuery, PageOf } from '../../../http/pagination'
import { MoveView, moveView, NewMove } from './model'
import { listMoves, newestMove } from './queries'
import { abortMove, startMove } from './start'

const WHY = 'moves belong to the installation'

/** Moves of organizations to other cells. */
export const moveRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/admin/organizations', tags: ['System'] })
    .use(guard(http))
    .get(
      '/moves',
      ({ ctx, query: { page = 1, limit = 20 } }) => ok(listMoves(ctx, { page, limit })),
      {
        can: { permission: 'super-admin', why: WHY },
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(MoveView)) },
        detail: {
          operationId: 'listOrganizationMoves',
          summary: 'List moves of organizations',
          description: 'Moves from this server, newest first.',
        },
      },
    )
    .post(
      '/:id/move',
      async ({ ctx, params, body, status }) =>
        status(202, ok(await startMove(ctx, params.id, body.to))),
      {
        can: { permission: 'super-admin', why: WHY },
        refuses: [
          '403 fresh_login_required',
          '409 same_cell',
          '409 move_running',
          '409 moved',
          '409 organization_leaving',
          '409 organization_busy',
          '409 organization_exists',
          '409 import_running',
          '409 target_older',
          '409 cell_refused',
          '503 unavailable',
        ],
        params: IdParam,
        body: NewMove,
        response: { 202: Ok(MoveView) },
        detail: {
          operationId: 'moveOrganization',
          summary: 'Move an organization to another server',
          description:
            'Copies the organization to another server of `CELLS`, in the background, and lets it ' +
            'work there. Meanwhile it can be read here, and changes are answered with 503 ' +
            '`organization_moving`. No webhook is refused or lost. Afterwards this server answers ' +
            '409 `moved` with the address, passes on what still arrives, and erases its copy after ' +
            '30 days. Requires a sign-in within the last five minutes.',
        },
      },
    )
    .get('/:id/move', ({ ctx, params }) => ok(moveView(newestMove(ctx, params.id))), {
      can: { permission: 'super-admin', why: WHY },
      params: IdParam,
      response: { 200: Ok(MoveView) },
      detail: {
        operationId: 'getOrganizationMove',
        summary: 'Get the move of an organization',
        description: 'Returns the newest move of the organization from this server.',
      },
    })
    .delete('/:id/move', ({ ctx, params }) => ok(abortMove(ctx, params.id)), {
      can: { permission: 'super-admin', why: WHY, anytime: true },
      refuses: ['409 too_late'],
      params: IdParam,
      response: { 200: Ok(MoveView) },
      detail: {
        operationId: 'abortOrganizationMove',
        summary: 'Abort the move of an organization',
        description:
          'The organization works here again at once, and the other server discards what it has. ' +
          'Possible until the step `activating`.',
      },
    })
